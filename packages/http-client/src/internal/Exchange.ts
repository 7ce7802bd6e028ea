/** One try: a request and its answer. Both forms of the client are made of it. */
import { InvalidAnswer, InvalidInput, NetworkFailure } from "../Errors.ts"
import type { RequestOptions } from "../Options.ts"
import { deprecationOf, errorOf, factsOf } from "./Answer.ts"
import { parse } from "./Json.ts"
import type { Operation } from "./Operations.ts"
import type { Settings } from "./Settings.ts"

/** Sends the operation once. Rejects with a `PetStoreError`, or with the signal's reason. */
export const send = async <A>(
  { apiKey, baseUrl, fetch, reportDeprecated }: Settings,
  { decode, headers, json, method = "GET", name, path }: Operation<A>,
  call: RequestOptions,
  signal: AbortSignal
): Promise<A> => {
  const reach = async <B>(promise: Promise<B>): Promise<B> => {
    try {
      return await promise
    } catch (cause) {
      throw new NetworkFailure(`no answer from ${baseUrl}: ${reasonOf(cause)}`, { cause })
    } finally {
      signal.throwIfAborted()
    }
  }

  const response = await reach(
    fetch(baseUrl + path, {
      method,
      headers: merge(call.headers, { ...headers, authorization: `Bearer ${apiKey}` }),
      ...(json !== undefined && { body: json }),
      // Following one would lose the body of a create, or send the key elsewhere.
      redirect: "error",
      signal
    })
  )
  call.onResponse?.(response)
  const text = await reach(response.text())
  const deprecation = deprecationOf(name, response.headers)
  if (deprecation !== undefined) reportDeprecated(deprecation)
  const facts = factsOf(response)
  if (!response.ok) throw errorOf(text, facts)
  try {
    return decode(text === "" ? undefined : parse(text), response.headers.get("link") ?? "")
  } catch (cause) {
    const message = `${baseUrl} did not answer as a Pet Store: ${reasonOf(cause)}`
    throw new InvalidAnswer(message, { ...facts, cause })
  }
}

/** The headers of the caller, replaced by those of the client. */
const merge = (
  callers: RequestOptions["headers"],
  own: Readonly<Record<string, string>>
): Headers => {
  try {
    const headers = new Headers({ ...callers })
    for (const [name, value] of Object.entries(own)) headers.set(name, value)
    return headers
  } catch (cause) {
    throw new InvalidInput(`headers must be valid: ${reasonOf(cause)}`, { cause })
  }
}

/** The message of the root cause, which is the most specific. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || error.name
}
