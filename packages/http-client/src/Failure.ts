/** What the errors of the client have in common. */

/** What is known about an error besides its message. */
export interface Facts {
  /** The status of the answer. */
  readonly status?: number | undefined
  /** The headers of the answer. */
  readonly headers?: Headers | undefined
  /** The `X-Request-Id` of the answer: the service logs it. */
  readonly requestId?: string | undefined
  /** The seconds after which the service asks to try again. */
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** The name of the class of a code: `NotFound` for `not_found`. */
export type TagOf<Code extends string> = Code extends `${infer First}_${infer Rest}`
  ? `${Capitalize<First>}${TagOf<Rest>}`
  : Capitalize<Code>

/** An error with a code, which tells it apart, and a tag, by which `Effect.catchTag` finds it. */
export interface Failure<Code extends string> extends ClientError {
  readonly _tag: TagOf<Code>
  readonly code: Code
}

/** A class of errors. Its instances are all errors with its code. */
export interface FailureClass<Code extends string> {
  readonly code: Code
  new (message: string, facts?: Facts): Failure<Code>
}

/** Every error of the client. @internal */
export class ClientError extends Error {
  declare readonly _tag: TagOf<string>
  declare readonly code: string
  declare readonly status: number | undefined
  declare readonly headers: Headers | undefined
  declare readonly requestId: string | undefined
  declare readonly retryAfter: number | undefined

  constructor(code: string, message: string, facts?: Facts) {
    super(message, facts)
    const name = code.replace(/(^|_)./g, (start) => start.slice(-1).toUpperCase())
    Object.assign(this, facts, { code, name, _tag: name })
  }
}

/** An error with this code. */
export const fail = <Code extends string>(code: Code, message: string, facts?: Facts) =>
  // TypeScript cannot follow the assignment.
  new ClientError(code, message, facts) as Failure<Code>

/** A class for the errors with this code. */
export const failure = <Code extends string>(code: Code) =>
  class extends ClientError {
    static readonly code = code

    static override [Symbol.hasInstance](error: unknown): boolean {
      return error instanceof ClientError && error.code === code
    }

    constructor(message: string, facts?: Facts) {
      super(code, message, facts)
      // So that it equals the error of a call.
      Object.setPrototypeOf(this, ClientError.prototype)
    }
  } as unknown as FailureClass<Code>
