/** `/`: an index as JSON; browsers get to the docs. */
import { prefix, title, version } from "@petstore/http-contract/PetStoreApi"
import * as Effect from "effect/Effect"
import * as Reply from "./Reply.ts"
import type { Route } from "./Routes.ts"

// Relative, so that they also work behind a proxy that strips a prefix.
const links = {
  docs: "docs",
  openapi: "openapi.json",
  health: "healthz",
  readiness: "readyz",
  pets: `${prefix.slice(1)}/pets`
}
const body = Reply.json(JSON.stringify({ name: title, version, links }))
const index = Effect.succeed({ status: 200, headers: ["Vary", "Accept"], body })
const toDocs = Effect.succeed({
  status: 303,
  headers: ["Location", links.docs, "Vary", "Accept"],
  body
})

/** The index. */
export const routes: ReadonlyArray<Route<void>> = [
  {
    method: "GET",
    path: "/",
    handle: ({ request }) => (prefersHtml(request.headers.accept ?? "") ? toDocs : index)
  }
]

const prefersHtml = (accept: string): boolean =>
  qualityOf("text/html", accept) > qualityOf("application/json", accept)

/** The quality that an `Accept` header gives a media type, from 0 to 1: that of the most specific range. */
const qualityOf = (type: string, accept: string): number => {
  const qualities = new Map<string, number>()
  for (const part of accept.toLowerCase().split(",")) {
    const [range = "", ...parameters] = part.split(";").map((word) => word.trim())
    const quality = parameters.find((parameter) => parameter.startsWith("q="))
    qualities.set(range, Number(quality?.slice("q=".length) ?? 1))
  }
  const [family] = type.split("/")
  return qualities.get(type) ?? qualities.get(`${family}/*`) ?? qualities.get("*/*") ?? 0
}
