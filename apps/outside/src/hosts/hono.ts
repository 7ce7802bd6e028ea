import { serve } from "@hono/node-server"
import { toWebHandler } from "@petstore/http-server/Mounting"
import { Hono } from "hono"
import { at } from "./api.ts"
import { layer } from "./layer.ts"

const { PORT = "3000" } = process.env
const { dispose, handler } = toWebHandler(at("/shop/v1"), layer)
const app = new Hono()
app.mount("/shop", handler)
app.post("/echo", async (context) => context.json(await context.req.json()))

export const server = serve({ fetch: app.fetch, port: Number(PORT) })
process.once("SIGTERM", () => server.close(dispose))
