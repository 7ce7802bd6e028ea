import { toNodeHandler } from "@petstore/http-server/Mounting"
import fastify from "fastify"
import { at } from "./api.ts"
import { layer } from "./layer.ts"

const { PORT = "3000" } = process.env
const { dispose, handler } = toNodeHandler(at("/shop/v1"), layer)
const app = fastify()
app.register(async (shop) => {
  // In this plugin only, Fastify leaves bodies to the handler.
  shop.removeAllContentTypeParsers()
  shop.addContentTypeParser("*", (_request, _body, done) => done(null))
  shop.all("/shop/*", (request, reply) => {
    reply.hijack()
    // Fastify leaves prefixes as they are.
    request.raw.url = request.url.slice("/shop".length)
    handler(request.raw, reply.raw)
  })
})
app.post("/echo", async ({ body }) => body)
app.addHook("onClose", dispose)

await app.listen({ port: Number(PORT) })
export const { server } = app
process.once("SIGTERM", () => app.close())
