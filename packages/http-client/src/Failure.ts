/** What the errors of the client have in common. */

/** What is known about an error besides its message. */
export interface Facts {
  /** The status of the answer. */
  readonly status?: number | undefined
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

/** A class of errors. */
export interface FailureClass<Code extends string> {
  readonly code: Code
  new (message: string, facts?: Facts): Failure<Code>
}

class ClientError extends Error {
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined

  constructor(message: string, { cause, ...facts }: Facts = {}) {
    super(message, cause ? { cause } : undefined)
    Object.assign(this, facts)
  }
}

/** A class for the errors with this code. */
export const failure = <Code extends string>(code: Code): FailureClass<Code> => {
  // TypeScript cannot follow the replacement.
  const tag = code.replace(/(^|_)./g, (start) => start.slice(-1).toUpperCase()) as TagOf<Code>
  return class extends ClientError {
    static readonly code = code
    readonly _tag = tag
    readonly code = code
    override readonly name = tag
  }
}

/** Whether a value is an error of the client. */
export const isFailure = (error: unknown): error is Failure<string> => error instanceof ClientError
