/** One try: a request and its answer. */
import { fail } from "../Failure.ts"
import { parseSome, stringify } from "../Json.ts"
import type { Answered, CallOptions, RequestDetails } from "../Options.ts"
import { errorOf, factsOf } from "./Answer.ts"
import { reasonOf } from "./Checks.ts"
import type { Operation } from "./Operation.ts"
import { type Settings, withHeaders } from "./Settings.ts"

/** Sends the operation once. Rejects with a `Failure`, with the signal's reason, or with what a hook throws. */
export const send = async <A>(
  settings: Settings & { readonly apiKey: string },
  { body: json, decode, errors = [], idempotencyKey, method = "GET", name, path }: Operation<A>,
  call: CallOptions,
  attempt: number,
  signal: AbortSignal
): Promise<Answered<A>> => {
  const { apiKey, baseUrl, fetch = globalThis.fetch, maxAnswerBytes } = settings
  signal.throwIfAborted()
  let size = 0
  const reach = async <B>(promise: Promise<B>): Promise<B> => {
    try {
      return await promise
    } catch (cause) {
      throw size > maxAnswerBytes
        ? invalid(`more than ${maxAnswerBytes} bytes`)
        : fail("network_failure", `${baseUrl} did not answer: ${reasonOf(cause)}`, { cause })
    } finally {
      signal.throwIfAborted()
    }
  }
  const invalid = (cause: unknown) =>
    fail("invalid_answer", `${baseUrl} did not answer as a Pet Store: ${reasonOf(cause)}`, {
      ...facts,
      cause
    })

  const url = baseUrl + path
  const headers = withHeaders(url, settings.headers, call.headers)
  const body = json === undefined ? null : stringify(json)
  if (body) headers.set("content-type", "application/json")
  if (idempotencyKey) headers.set("idempotency-key", `"${idempotencyKey}"`)
  const request: RequestDetails = { operation: name, attempt, method, url, headers, body }
  await settings.onRequest?.(request)
  signal.throwIfAborted()
  // A copy, as no hook sees the key.
  const sent = new Headers(headers)
  sent.set("authorization", `Bearer ${apiKey}`)
  const response = await reach(
    // Following a redirect would lose the body of a POST, or send the key elsewhere.
    fetch(url, { method, headers: sent, body, redirect: "manual", signal })
  )
  const facts = factsOf(response)
  await settings.onResponse?.(response, request)
  await call.onResponse?.(response, request)

  // Measured while it is read: a small answer may become large when it is decompressed. Not every `fetch` has web streams.
  const measured = response.body?.pipeThrough?.<Uint8Array>(
    new TransformStream<Uint8Array>({
      transform: (chunk, controller) => {
        size += chunk.length
        if (size > maxAnswerBytes) throw size
        controller.enqueue(chunk)
      }
    })
  )
  const text = await reach((measured ? new Response(measured) : response).text())
  if (!response.ok) throw errorOf(text, facts, errors, invalid)
  try {
    return {
      data: decode(parseAnswer(text), response.headers),
      response,
      requestId: facts.requestId,
      replayed: response.headers.has("idempotent-replayed")
    }
  } catch (cause) {
    throw invalid(cause)
  }
}

/** Integers become a `bigint` that a `number` cannot hold. An answer may have no body. @internal */
export const parseAnswer = (text: string): unknown =>
  /\d{16}/.test(text)
    ? parseSome(text, (nearest) => !Number.isSafeInteger(nearest))
    : text && JSON.parse(text)
