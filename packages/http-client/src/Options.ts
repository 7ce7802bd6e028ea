/** The options of a client and of a call. */
import type { Failure } from "./Failure.ts"

/** The part of the global `fetch` that the client uses. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>

/** The methods of the operations. */
export type Method = "DELETE" | "GET" | "PATCH" | "POST" | "PUT"

/** What the client passes to `fetch`. */
export interface FetchInit {
  readonly method: Method
  readonly headers: Headers
  readonly body: string | null
  readonly redirect: "manual"
  readonly signal: AbortSignal
}

/** A request, as hooks see it: without the bearer token. */
export interface RequestDetails {
  /** The `operationId` of the contract, such as `listPets`. */
  readonly operation: string
  /** Which try of its call this is, from 1. */
  readonly attempt: number
  readonly method: Method
  readonly url: string
  /** `onRequest` may change them, but for `Authorization`, which is added later. */
  readonly headers: Headers
  readonly body: string | null
}

/** That a call will be tried again. */
export interface RetryDetails extends Pick<RequestDetails, "attempt" | "operation"> {
  /** Why this try failed. */
  readonly error: Failure<string>
  /** The milliseconds until the next try. */
  readonly delay: number
}

/** The options that a call can override. */
export interface CallLimits {
  /** Milliseconds for a call, retries included, or for each page of a list; 30,000 by default. */
  readonly timeout?: number | undefined
  /** How often to try again after a failure that may pass; 2 by default, 0 for never. */
  readonly retries?: number | undefined
  /** The largest answer that is read, in bytes once it is decompressed; 4 MiB by default. */
  readonly maxAnswerBytes?: number | undefined
}

/** The options of a client. */
export interface Options extends CallLimits {
  /** The address of the service, with or without its prefix (`/v1`), such as `https://example.org/shop`. */
  readonly baseUrl: string
  /**
   * The bearer token: an API key, a JWT or any other. Or a function that returns it, which is called once for each
   * call, or for each page of a longer list: tokens may be renewed meanwhile, but the retries of an add need the same one.
   */
  readonly apiKey: string | (() => string | Promise<string>)
  /** Further headers of all requests; those of a call replace them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Instead of the global `fetch`. */
  readonly fetch?: Fetch | undefined
  // A call waits for the promises of these functions, and fails with what they throw.
  /** Called before each request is sent, of retries as well. */
  readonly onRequest?: ((request: RequestDetails) => void | Promise<void>) | undefined
  /** Called with every raw response before its body is read; `clone` it to read the body. */
  readonly onResponse?:
    | ((response: Response, request: RequestDetails) => void | Promise<void>)
    | undefined
  /** Called when a try has failed and another one follows, before the wait for it. */
  readonly onRetry?: ((retry: RetryDetails) => void | Promise<void>) | undefined
}

/** A result with its response. */
export interface Answered<A> {
  readonly data: A
  /** Its body has been read. */
  readonly response: Response
  /** The `X-Request-Id` of the answer: the service logs it. */
  readonly requestId: string | undefined
  /** Whether an earlier request with the same idempotency key had this result. */
  readonly replayed: boolean
}

/** The options of what must happen once. */
export interface Idempotency {
  /**
   * Names this call, so that the service can recognise a repetition; 128 random bits by default, new for every
   * call. 1 to 255 visible ASCII characters, without `"` and `\`.
   */
  readonly idempotencyKey?: string | undefined
}

/** The options of a call. */
export interface CallOptions extends CallLimits {
  /** Further headers, such as `X-Request-Id`. Those that the client or the connection has must not be among them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called after the `onResponse` of the client. */
  readonly onResponse?: Options["onResponse"]
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}
