/** What all ports have in common: methods that return effects, some of which write. */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { StoreUnavailable } from "./StoreUnavailable.ts"

/** Whether each method of a port writes. It is stated beside the port; a method that is left out does not compile. */
export type Writes<Port> = { readonly [Method in keyof Port]: boolean }

/** The names of the methods that write. */
export type WriteOf<W extends Readonly<Record<string, boolean>>> = {
  [Method in keyof W]: W[Method] extends true ? Method : never
}[keyof W]

/** A method that is called. */
export interface Method {
  readonly name: string
  readonly isWrite: boolean
}

/** Every method of a port returns an effect. */
export type Methods<Port> = {
  readonly [Name in keyof Port]: (...input: never) => Effect.Effect<unknown, unknown>
}

/** Runs a call in a way of its own, or fails as unavailable. */
export type Decorator = <A, E>(
  effect: Effect.Effect<A, E>,
  method: Method
) => Effect.Effect<A, E | StoreUnavailable>

/** A port of which this function runs every call, on the port that it chooses. Any call may fail as unavailable. */
export const make = <Port extends Methods<Port>>(
  writes: Writes<Port>,
  run: <A, E>(
    call: (port: Port) => Effect.Effect<A, E>,
    method: Method
  ) => Effect.Effect<A, E | StoreUnavailable>
): Port => {
  const methods = Struct.keys(writes).map((name) => {
    const method = { name, isWrite: writes[name] }
    return [name, (...input: never) => run((port) => port[name](...input), method)]
  })
  // These are all the methods of the port, since `writes` names them.
  return Object.fromEntries(methods) as Port
}

/** The same port with every method decorated by this function. */
export const decorate = <Port extends Methods<Port>>(
  port: Port,
  writes: Writes<Port>,
  decorator: Decorator
): Port =>
  make(writes, <A, E>(call: (port: Port) => Effect.Effect<A, E>, method: Method) =>
    decorator(call(port), method)
  )

const refused = Effect.fail(new StoreUnavailable({ reason: "read-only" }))

/** The same port, which refuses writes. */
export const readOnly = <Port extends Methods<Port>>(port: Port, writes: Writes<Port>): Port =>
  decorate(port, writes, (effect, { isWrite }) => (isWrite ? refused : effect))
