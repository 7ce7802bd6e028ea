/** What all ports have in common: methods that return effects, some of which write. */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { StoreUnavailable } from "./StoreUnavailable.ts"

/** Whether each method of a port writes. It is stated beside the port; a method that is left out does not compile. */
export type Writes<Port> = { readonly [Method in keyof Port]: boolean }

/** Every method of a port returns an effect. */
export type Methods<Port> = {
  readonly [Name in keyof Port]: (...input: never) => Effect.Effect<unknown, unknown>
}

/** Runs a call of the method of this name in a way of its own, or fails as unavailable. */
export type Decorator = <A, E>(
  effect: Effect.Effect<A, E>,
  method: string
) => Effect.Effect<A, E | StoreUnavailable>

/** A port of which this function runs every call, on the port that it chooses. Any call may fail as unavailable. */
export const make = <Port extends Methods<Port>>(
  writes: Writes<Port>,
  run: <A, E>(
    call: (port: Port) => Effect.Effect<A, E>,
    isWrite: boolean
  ) => Effect.Effect<A, E | StoreUnavailable>
): Port =>
  withMethods(writes, (name, ...input) => run((port) => port[name](...input), writes[name]))

/** The same port with every method decorated by this function. */
export const decorate = <Port extends Methods<Port>>(port: Port, decorator: Decorator): Port =>
  withMethods(port, (name, ...input) => decorator(port[name](...input), name))

const refused = Effect.fail(new StoreUnavailable({ reason: "read-only" }))

/** The same port, which refuses writes. */
export const readOnly = <Port extends Methods<Port>>(port: Port, writes: Writes<Port>): Port =>
  make(writes, <A, E>(call: (port: Port) => Effect.Effect<A, E>, isWrite: boolean) =>
    isWrite ? refused : call(port)
  )

/** A port whose methods have these names, and call this function. */
const withMethods = <Port extends Methods<Port>>(
  names: { readonly [Name in keyof Port]: unknown },
  call: (name: keyof Port & string, ...input: never) => Effect.Effect<unknown, unknown>
) =>
  Object.fromEntries(
    Struct.keys(names).map((name) => [name, (...input: never) => call(name, ...input)])
  ) as Port
