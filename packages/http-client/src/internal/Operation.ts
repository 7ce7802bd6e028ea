/** What a client sends, and how it reads the answer. */
import type { Method } from "../Options.ts"

/** One operation with its inputs. */
export interface Operation<A> {
  /** Its `operationId`, as hooks name it. */
  readonly name: string
  /** Relative to the address of the service, from its prefix on. */
  readonly path: string
  /** GET if there is none. A POST or PATCH without an idempotency key is not tried again. */
  readonly method?: Method
  /** Sent as JSON with exact integers. */
  readonly body?: unknown
  /** Lets the service recognise a repetition: the operation takes effect once. */
  readonly idempotencyKey?: string
  /** The codes of the errors that not every operation has; any other is an `UnknownError`. */
  readonly errors?: ReadonlyArray<string>
  /** Reads a successful answer, of parsed JSON; throws if it is not one of this operation. */
  readonly decode: (body: unknown, headers: Headers) => A
}
