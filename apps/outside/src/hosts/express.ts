import { toNodeHandler } from "@petstore/http-server/Mounting"
import express from "express"
import { at } from "./api.ts"
import { layer } from "./layer.ts"

const { PORT = "3000" } = process.env
const { dispose, handler } = toNodeHandler(at("/shop/v1"), layer)
const app = express().disable("x-powered-by")
app.use("/shop", handler)
// After it: a parser that comes first would have read the body.
app.use(express.json())
app.post("/echo", (request, response) => {
  response.json(request.body)
})

export const server = app.listen(Number(PORT))
process.once("SIGTERM", () => server.close(dispose))
