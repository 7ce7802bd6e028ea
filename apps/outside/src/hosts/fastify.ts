/** The adoptions in a server of Fastify. */
import { Mounting } from "@petstore/http-server"
import * as Adoptions from "adoptions/Adoptions"
import fastify from "fastify"
import { layer } from "./layer.ts"

const { dispose, handler } = Mounting.toNodeHandler(Adoptions.at("/shop/v1"), layer)

const app = fastify()
app.register(async (shop) => {
  // In this plugin only, Fastify leaves bodies to the handler.
  shop.removeAllContentTypeParsers()
  shop.addContentTypeParser("*", (_request, _body, done) => done(null))
  shop.all("/shop/*", (request, reply) => {
    reply.hijack()
    request.raw.url = request.url.slice("/shop".length)
    handler(request.raw, reply.raw)
  })
})
app.post("/echo", async ({ body }) => body)

await app.ready()
export const host = { server: app.server, dispose }
