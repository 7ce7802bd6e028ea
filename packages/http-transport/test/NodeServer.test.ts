import { createServer } from "node:http"
import { expect, it } from "@effect/vitest"
import * as HttpListener from "@petstore/http-transport/HttpListener"
import * as NodeServer from "@petstore/http-transport/NodeServer"
import { Effect, Exit, Scope } from "effect"

it.each([
  ["127.0.0.1", "http://127.0.0.1:80"],
  ["0.0.0.0", "http://127.0.0.1:80"],
  ["::", "http://[::1]:80"],
  ["2001:db8::7", "http://[2001:db8::7]:80"]
])("a server at %s is reached at %s", (address, url) => {
  const bound = { address, family: "any", port: 80 }
  const server = Object.assign(createServer(), { address: () => bound })
  const wanted = { host: "name", port: 0 }
  expect(NodeServer.boundAddress(server, wanted)).toEqual({ url, host: address })
  expect(NodeServer.boundAddress(createServer(), { host: address, port: 80 }).url).toBe(url)
})

it.live("a server that could not accept a connection goes on", () =>
  Effect.gen(function* () {
    const server = createServer((_, response) => response.end("here"))
    const address = { host: "127.0.0.1", port: 0 }
    yield* Effect.acquireRelease(NodeServer.listen(server, address), () =>
      Effect.sync(() => server.close())
    )
    // Without a listener, each of these would end the process.
    for (const code of ["EMFILE", "ECONNABORTED"])
      server.emit("error", Object.assign(new Error(code), { code }))
    const { url } = NodeServer.boundAddress(server, address)
    const text = yield* Effect.promise(async () => (await fetch(url)).text())
    expect(text).toBe("here")
  }).pipe(Effect.scoped)
)

it.live("a listener serves one handler: a second one is a mistake of the program", () =>
  Effect.gen(function* () {
    const { serve } = yield* HttpListener.HttpListener
    yield* serve(() => Effect.never)
    expect(yield* Effect.exit(serve(() => Effect.never))).toEqual(
      Exit.die(expect.objectContaining({ message: "this listener serves already" }))
    )
  }).pipe(
    Effect.provide(
      HttpListener.layer({ ...HttpListener.defaults, host: "127.0.0.1", port: 0, drainTimeout: 0 })
    ),
    Effect.scoped
  )
)

it.live("servers that reuse a port both get connections", () =>
  Effect.gen(function* () {
    const seen = new Set<string>()
    const serve = (name: string, port: number) =>
      NodeServer.serve({ host: "127.0.0.1", port, reusePort: true }, (_, response) => {
        seen.add(name)
        response.end()
      })
    const { url } = yield* serve("first", 0)
    yield* serve("second", Number(new URL(url).port))
    while (seen.size < 2) yield* Effect.promise(async () => (await fetch(url)).text())
  }).pipe(Effect.scoped)
)

it.live("a plain server cuts what it has not answered when its scope closes", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { url } = yield* NodeServer.serve({ host: "127.0.0.1", port: 0 }, (_, response) => {
      response.write("a part")
    }).pipe(Scope.extend(scope))
    const response = yield* Effect.promise(() => fetch(url))
    yield* Scope.close(scope, Exit.void)
    expect((yield* Effect.either(Effect.tryPromise(() => response.text())))._tag).toBe("Left")
    // It listens no longer.
    expect((yield* Effect.either(Effect.tryPromise(() => fetch(url))))._tag).toBe("Left")
  })
)
