/** One try: a request and its answer. Both forms of the client are made of it. */
import { InvalidAnswer, NetworkFailure } from "../Errors.ts"
import { parseAnswer } from "../Json.ts"
import type { RequestDetails, RequestOptions } from "../Options.ts"
import { deprecationOf, errorOf, factsOf } from "./Answer.ts"
import { reasonOf } from "./Checks.ts"
import { withHeaders } from "./Headers.ts"
import type { Operation } from "./Operations.ts"
import { keyOf, type Settings } from "./Settings.ts"

/** Sends the operation once. Rejects with a `PetStoreError`, with the signal's reason, or with what a hook throws. */
export const send = async <A>(
  settings: Settings,
  operation: Operation<A>,
  call: RequestOptions,
  attempt: number,
  signal: AbortSignal
): Promise<A> => {
  const reach = async <B>(promise: Promise<B>): Promise<B> => {
    try {
      return await promise
    } catch (cause) {
      throw noAnswer(settings, cause)
    } finally {
      signal.throwIfAborted()
    }
  }

  const [request, headers] = await prepare(settings, operation, call, attempt)
  signal.throwIfAborted()
  const { body, method, url } = request
  const { fetch = globalThis.fetch } = settings
  const response = await reach(
    // Following a redirect would lose the body of a create, or send the key elsewhere.
    fetch(url, { method, headers, body, redirect: "manual", signal })
  )
  await settings.onResponse?.(response, request)
  await call.onResponse?.(response, request)
  return decode(settings, operation, response, await reach(response.text()))
}

/** The failure of a request that got no answer, or only a part of one. */
export const noAnswer = ({ baseUrl }: Settings, cause: unknown) =>
  new NetworkFailure(`no answer from ${baseUrl}: ${reasonOf(cause)}`, { cause })

/** The request of a try, and its headers with the key, which no hook sees. */
export const prepare = async (
  settings: Settings,
  { body = null, headers: own = {}, method = "GET", name: operation, path }: Operation<unknown>,
  call: RequestOptions,
  attempt: number
) => {
  const url = settings.baseUrl + path
  const headers = withHeaders(url, settings.headers, call.headers)
  for (const [name, value] of Object.entries(own)) headers.set(name, value)
  const request: RequestDetails = { operation, attempt, method, url, headers, body }
  const { apiKey } = settings
  const key = keyOf(typeof apiKey === "function" ? await apiKey() : apiKey)
  await settings.onRequest?.(request)
  const sent = new Headers(headers)
  sent.set("authorization", `Bearer ${key}`)
  return [request, sent] as const
}

/** What an answer says. */
export const decode = <A>(
  { baseUrl, onDeprecated, reported }: Settings,
  { decode, name }: Operation<A>,
  response: Response,
  text: string
): A => {
  const deprecation = deprecationOf(name, response.headers)
  if (deprecation !== undefined && !reported.has(name)) {
    reported.add(name)
    onDeprecated?.(deprecation)
  }
  const facts = factsOf(response)
  if (!response.ok) throw errorOf(text, facts)
  try {
    // An answer may have no body.
    return decode(text && parseAnswer(text), response.headers.get("link") ?? "")
  } catch (cause) {
    const message = `${baseUrl} did not answer as a Pet Store: ${reasonOf(cause)}`
    throw new InvalidAnswer(message, { ...facts, cause })
  }
}
