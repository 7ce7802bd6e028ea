/** The server that all tests share. Its setup for vitest is `@petstore/local-postgres/vitest`. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { inject } from "vitest"
import * as LocalPostgres from "./LocalPostgres.ts"
import type {} from "./vitest.ts"

export const port = (): number => inject("postgresPort")

/** The URL of a new, empty database, which is dropped with the scope. */
export const database: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => LocalPostgres.createDatabase(port())),
  (url) => Effect.promise(() => LocalPostgres.dropDatabase(url))
)
