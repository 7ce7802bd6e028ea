/** A Pet Store that runs already. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const Index = Schema.Struct({ name: Schema.Literal("Pet Store"), version: Schema.String })

/** A Pet Store that serves at this address, with its version; none if nothing else does, or nothing within a second. */
export const at = (host: string, port: number): Effect.Effect<Option.Option<string>> =>
  Effect.tryPromise(async (signal) => {
    // All addresses of this machine are no address to call.
    const called = /^(?:0\.0\.0\.0|::)$/.test(host) ? "localhost" : host
    const name = called.includes(":") ? `[${called}]` : called
    return (await fetch(`http://${name}:${port}/`, { signal })).json()
  }).pipe(
    Effect.timeout("1 second"),
    Effect.flatMap(Schema.decodeUnknown(Index)),
    Effect.map(({ name, version }) => `${name} ${version}`),
    Effect.option
  )
