/** One try: a request and its answer. */
import { InvalidAnswer, NetworkFailure } from "../Errors.ts"
import { parse } from "../Json.ts"
import type { RequestDetails, RequestOptions } from "../Options.ts"
import { deprecationOf, errorOf, factsOf } from "./Answer.ts"
import { reasonOf } from "./Checks.ts"
import type { Operation } from "./Operation.ts"
import { service } from "./Service.ts"
import { keyOf, type Settings, withHeaders } from "./Settings.ts"

/** Sends the operation once. Rejects with a `Failure`, with the signal's reason, or with what a hook throws. */
export const send = async <A>(
  settings: Settings,
  { body = null, decode, headers: own = {}, method = "GET", name: operation, path }: Operation<A>,
  call: RequestOptions,
  attempt: number,
  signal: AbortSignal
): Promise<A> => {
  const { apiKey, baseUrl, fetch = globalThis.fetch, maxAnswerBytes, reported } = settings
  signal.throwIfAborted()
  let size = 0
  const reach = async <B>(promise: Promise<B>): Promise<B> => {
    try {
      return await promise
    } catch (cause) {
      throw size > maxAnswerBytes
        ? invalid(`the answer must have at most ${maxAnswerBytes} bytes`)
        : new NetworkFailure(`no answer from ${baseUrl}: ${reasonOf(cause)}`, { cause })
    } finally {
      signal.throwIfAborted()
    }
  }
  const invalid = (cause: unknown) =>
    new InvalidAnswer(`${baseUrl} did not answer as ${service}: ${reasonOf(cause)}`, {
      ...facts,
      cause
    })

  const url = baseUrl + path
  const headers = withHeaders(url, settings.headers, call.headers)
  for (const [name, value] of Object.entries(own)) headers.set(name, value)
  const request: RequestDetails = { operation, attempt, method, url, headers, body }
  const key = keyOf(typeof apiKey === "function" ? await apiKey(signal) : apiKey)
  await settings.onRequest?.(request)
  signal.throwIfAborted()
  // A copy, as no hook sees the key.
  const sent = new Headers(headers)
  sent.set("authorization", `Bearer ${key}`)
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
  const deprecation = deprecationOf(operation, response.headers)
  if (deprecation && !reported.has(operation)) {
    reported.add(operation)
    settings.onDeprecated?.(deprecation)
  }
  if (!response.ok) throw errorOf(text, facts)
  try {
    return decode(parseAnswer(text), response.headers.get("link") ?? "")
  } catch (cause) {
    throw invalid(cause)
  }
}

/** Integers become a `bigint` if a `number` may not hold one of them. An answer may have no body. @internal */
export const parseAnswer = (text: string): unknown =>
  /\d{16}/.test(text) ? parse(text) : text && JSON.parse(text)
