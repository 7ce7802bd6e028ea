import * as ApiServer from "@petstore/http-server/ApiServer"
import * as HttpListener from "@petstore/http-server/HttpListener"
import { Layer, ManagedRuntime } from "effect"
import { at } from "./api.ts"
import { layer } from "./layer.ts"

const { PORT = "3000" } = process.env
const listening = { ...HttpListener.defaults, host: "127.0.0.1", port: Number(PORT) }
const app = ApiServer.layer(at("/v1")).pipe(
  Layer.provide(layer),
  // Last, so that it closes last: requests in flight find what they need.
  Layer.provideMerge(HttpListener.layer(listening))
)

const runtime = ManagedRuntime.make(app)
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => runtime.dispose())
export const { url } = await runtime.runPromise(HttpListener.HttpListener)
process.stdout.write(`${url}/docs\n`)
