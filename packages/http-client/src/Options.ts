/** The options of a client and of a call. */

/** The part of the global `fetch` that the client uses. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>

/** What the client passes to `fetch`. */
export interface FetchInit {
  readonly method: string
  readonly headers: Headers
  readonly body?: string
  readonly redirect: "error"
  readonly signal: AbortSignal
}

/** That an operation will be removed, as the service announces it (RFC 9745, RFC 8594). */
export interface Deprecation {
  readonly operation: string
  readonly since: Date | undefined
  readonly sunset: Date | undefined
}

/** The options that a call can override. */
export interface CallLimits {
  /** Milliseconds for a call, retries included, or for each page of a list; 30,000 by default. */
  readonly timeout?: number | undefined
  /** How often to try again after a failure that may pass; 2 by default, 0 for never. */
  readonly retries?: number | undefined
}

/** The options of a client. */
export interface Options extends CallLimits {
  /** The address of the service, with or without `/v1`, such as `https://example.org/shop`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Instead of the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** Called when an operation is found to be deprecated, once for each operation. */
  readonly onDeprecated?: ((deprecation: Deprecation) => void) | undefined
}

/** The options of a call that concern its requests and responses. */
export interface RequestOptions {
  /** Further headers, such as `X-Request-Id`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called with every raw response before its body is read; `clone` it to read the body. */
  readonly onResponse?: ((response: Response) => void) | undefined
}

/** The options of a create. */
export interface Idempotency {
  /**
   * Names this create, so that the service can recognise a repetition; 32 random hexadecimal digits by default,
   * new for every create. 1 to 255 visible ASCII characters, without `"` and `\`.
   */
  readonly idempotencyKey?: string | undefined
}

/** The options of a call. */
export interface CallOptions extends CallLimits, RequestOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}
