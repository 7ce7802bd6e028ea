/** Clients with Effect, of any service. */
import * as Chunk from "effect/Chunk"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { CommonError, ErrorWith, InvalidInput } from "./Errors.ts"
import * as EffectCall from "./internal/EffectCall.ts"
import {
  type AnyQuery,
  type Following,
  type ItemOf,
  type List,
  methodsOf,
  type Operation,
  pageOf,
  type Seen,
  type Service,
  type Table
} from "./internal/Operation.ts"
import { settingsOf } from "./internal/Settings.ts"
import type { Options as PromiseOptions } from "./Options.ts"

/** The options of a call; interrupting it aborts its request. */
export interface CallOptions extends EffectCall.CallOptions {}

/** The options of a client. */
export interface Options extends Omit<PromiseOptions, "apiKey" | "timeout"> {
  /** The bearer token, or an effect that succeeds with it, which is run before each request: it may be renewed meanwhile. */
  readonly apiKey: Redacted.Redacted | Effect.Effect<Redacted.Redacted>
  /** The time for a call, retries included, or for each page of a stream; 30 seconds by default. */
  readonly timeout?: Duration.DurationInput | undefined
}

/** What a call of an operation can fail with. */
export type ErrorOf<Made> = Made extends {
  readonly errors: ReadonlyArray<infer Code extends string>
}
  ? CommonError | ErrorWith<Code>
  : CommonError

/** The result of an operation. */
export type SuccessOf<Made> = Made extends Operation<infer A> ? A : never

/** A page, from which the next one can be asked for. */
export type PageOf<Page, E> = Page & {
  /** The next page, if there is one. Copies of a page lack it. */
  readonly nextPage: () => Effect.Effect<PageOf<Page, E>, E> | undefined
}

/** The method of an operation, or of a list. Each run of its effect is a new call, also by `Effect.retry`. */
export type MethodOf<Entry> = Entry extends {
  readonly page: (query: infer Query) => infer Made
  readonly items: infer Field
}
  ? {
      (
        query?: Query,
        options?: CallOptions
      ): Effect.Effect<PageOf<SuccessOf<Made>, ErrorOf<Made>>, ErrorOf<Made>>
      /** All items, page after page. */
      readonly stream: (
        query?: Query,
        options?: CallOptions
      ) => Stream.Stream<ItemOf<SuccessOf<Made>, Field>, ErrorOf<Made>>
    }
  : Entry extends (input: infer Input, options: infer Own) => infer Made
    ? (input: Input, options?: CallOptions & Own) => Effect.Effect<SuccessOf<Made>, ErrorOf<Made>>
    : never

/** A method for each operation of a table, by resource. */
export type MethodsOf<Operations extends Table> = {
  readonly [Resource in keyof Operations]: {
    readonly [Name in keyof Operations[Resource]]: MethodOf<Operations[Resource][Name]>
  }
}

/** Makes a client of a service, whose spans begin with this name; fails if an option is missing or invalid. */
export const makeClient = <Operations extends Table>(
  name: string,
  service: Service<Operations>,
  options: Options
): Effect.Effect<MethodsOf<Operations>, InvalidInput> => make(name, service, options)

/** A client that sends as `running` says. @internal */
export const make = <Operations extends Table>(
  name: string,
  service: Service<Operations>,
  { apiKey, ...options }: Options,
  running?: EffectCall.Running
): Effect.Effect<MethodsOf<Operations>, InvalidInput> =>
  EffectCall.fromChecked(() => {
    const isFixed = Redacted.isRedacted(apiKey)
    const settings = settingsOf(service, {
      ...EffectCall.inMillis(options),
      apiKey: isFixed ? Redacted.value(apiKey) : () => ""
    })
    const complete: EffectCall.Running = (runtime) => ({
      ...running?.(runtime),
      ...(!isFixed && {
        apiKey: (signal) => EffectCall.run(runtime, Effect.map(apiKey, Redacted.value), signal)
      })
    })
    const call = <A>(makeOperation: () => Operation<A>, options?: CallOptions) =>
      EffectCall.call(name, settings, complete, makeOperation, options)
    return methodsOf<MethodsOf<Operations>>(service.operations, call, (list) => walk(list, call))
  })

type Call = <A>(
  makeOperation: () => Operation<A>,
  options?: CallOptions
) => ReturnType<typeof EffectCall.call<A>>

/** A page, as the methods of any table ask for it. */
interface AnyCall extends Effect.Effect<Following<AnyCall>, ErrorWith<string>> {}

const walk = (list: List, call: Call) => {
  const pageAt = (query: AnyQuery, options?: CallOptions, seen?: Seen): AnyCall =>
    call(() => pageOf(list, query, (next, seen) => pageAt(next, options, seen), seen), options)
  const stream = (query: AnyQuery = {}, options?: CallOptions) =>
    Stream.suspend(() => {
      const seen: Seen = new Set()
      return Stream.paginateChunkEffect(pageAt(query, options), (call) =>
        Effect.map(call, (page) => [
          Chunk.unsafeFromArray(Reflect.get(page, list.items)),
          Option.fromNullable(page.nextPage(seen))
        ])
      )
    })
  return Object.assign((query: AnyQuery = {}, options?: CallOptions) => pageAt(query, options), {
    stream
  })
}
