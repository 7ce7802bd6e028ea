import { Authentication } from "@petstore/http-server/Authentication"
import { Effect, Layer } from "effect"
import { errors, jwtVerify } from "jose"

const { JWT_SECRET = "" } = process.env
const secret = new TextEncoder().encode(JWT_SECRET)
const expected = {
  algorithms: ["HS256"],
  issuer: "https://issuer.example",
  audience: "toys",
  requiredClaims: ["sub", "exp"]
}

export const layer = Layer.succeed(Authentication, {
  authenticate: (token) =>
    Effect.tryPromise({
      try: () => jwtVerify(token, secret, expected),
      // For the log; the caller gets 401.
      catch: (error) => ({ reason: error instanceof errors.JOSEError ? error.code : "unknown" })
    }).pipe(
      Effect.map(({ payload: { scope, sub = "" } }) => ({
        id: sub,
        digest: sub,
        scopes: typeof scope === "string" ? scope.split(" ") : []
      }))
    ),
  isReady: () => true
})
