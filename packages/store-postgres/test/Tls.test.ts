/** Connections with TLS, as URLs ask for them. */
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  rmSync,
  statSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import { Effect, Redacted } from "effect"
import * as DriverConfig from "../src/internal/DriverConfig.ts"
import { connect, live, names, openStore, urlOf } from "./support/Databases.ts"
import { expectFailure } from "./support/Failures.ts"

/** A certificate for localhost, signed by itself. */
const certificate = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "petstore-tls-"))
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")]
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, ...subject],
      { stdio: "ignore" }
    )
    return { cert, folder, key }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** Restarts a server with a certificate. */
const useTls = async (server: LocalPostgres.LocalPostgres, cert: string, key: string) => {
  await server.stop()
  const { gid, uid } = statSync(server.data)
  for (const [from, name] of [
    [cert, "server.crt"],
    [key, "server.key"]
  ] as const) {
    const file = join(server.data, name)
    copyFileSync(from, file)
    chmodSync(file, 0o600)
    chownSync(file, uid, gid)
  }
  appendFileSync(join(server.data, "postgresql.conf"), "ssl = on\n")
  await server.start()
}

describe("sslmode", () => {
  it.each([
    ["sslmode=require", { rejectUnauthorized: false }],
    ["sslmode=require&uselibpqcompat=false", {}],
    ["uselibpqcompat=false&sslmode=require", {}]
  ])("means what it means to libpq, unless the URL says otherwise: %s", (parameters, ssl) => {
    const url = Redacted.make(`postgres://host/pets?${parameters}`)
    expect(DriverConfig.make({ url }).ssl).toEqual(ssl)
  })
})

describe("a server with TLS", () => {
  live("is verified as far as sslmode says", function* () {
    const { cert, folder, key } = yield* certificate
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => LocalPostgres.start()),
      ({ remove }) => Effect.promise(remove)
    )
    const plain = urlOf("postgres", server.port)
    yield* Effect.promise(() => useTls(server, cert, key))
    chmodSync(folder, 0o755)
    const open = (host: string, parameters: string) => {
      const url = Redacted.value(plain).replace("127.0.0.1", host)
      return openStore({ url: Redacted.make(`${url}?application_name=tls&${parameters}`) })
    }
    const root = `sslrootcert=${encodeURIComponent(cert)}`
    for (const [host, parameters] of [
      ["127.0.0.1", "sslmode=require"],
      ["127.0.0.1", `sslmode=verify-ca&${root}`],
      ["localhost", `sslmode=verify-full&${root}`]
    ] as const) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* open(host, parameters)
          expect(yield* names(store)).toEqual([])
          const other = yield* connect(plain)
          const { rows } = yield* Effect.promise(() =>
            other.query(
              `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                 WHERE application_name = 'tls'`
            )
          )
          expect(rows).toEqual([{ ssl: true }])
        })
      )
    }
    yield* expectFailure(open("localhost", "sslmode=verify-full"), "down")
    yield* expectFailure(open("127.0.0.1", `sslmode=verify-full&${root}`), "down")
  })
})
