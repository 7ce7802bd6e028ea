import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { NetworkFailure, TimedOut } from "@petstore/http-client"
import { ConfigProvider, Effect } from "effect"
import * as PetsClient from "../src/commands/PetsClient.ts"
import { folder } from "./support/Folder.ts"
import { live } from "./support/Live.ts"
import * as Process from "./support/Process.ts"
import { run } from "./support/Program.ts"
import { escapes, secureStranger, service, stranger } from "./support/Service.ts"
import { createKey } from "./support/Stock.ts"

describe("petstore pets, if the service fails", () => {
  const get = (url: string, words: ReadonlyArray<string> = [], key = "the-key-of-the-tests") =>
    Effect.flatMap(folder, (path) =>
      run(path, ["pets", "get", "1", ...words], {
        environment: { PETSTORE_URL: url, PETSTORE_API_KEY: key }
      })
    )

  live("says that it cannot reach the service, and exits with 3", function* () {
    const expected = {
      code: 3,
      stdout: "",
      stderr:
        "cannot reach http://127.0.0.1:1/v1: run petstore serve, or set PETSTORE_URL to a running service\n"
    }
    expect(yield* get("http://127.0.0.1:1")).toMatchObject(expected)
    const flag = yield* get("http://pets.invalid", ["--url", "http://127.0.0.1:1/v1/"])
    expect(flag).toMatchObject({
      ...expected,
      stderr: expected.stderr.replace("PETSTORE_URL", "--url")
    })
    const hangsUp = yield* stranger((request) => request.socket.destroy())
    expect(yield* get(hangsUp)).toMatchObject({ code: 3 })
  })

  live("says that the port speaks http, not https, and exits with 3", function* () {
    const url = yield* stranger((_, response) => response.end("{}"))
    const secure = url.replace("http:", "https:")
    expect(yield* get(url, ["--url", secure])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: `${secure}/v1 speaks http, not https: use ${url}/v1\n`
    })
  })

  live("says why TLS failed, and exits with 3", function* () {
    const path = yield* folder
    const [key, cert] = [join(path, "key.pem"), join(path, "cert.pem")]
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    execFileSync(
      "openssl",
      ["req", "-x509", ...kind, "-nodes", "-keyout", key, "-out", cert, ...subject],
      { stdio: "ignore" }
    )
    const [leafKey, leaf] = [join(path, "leaf-key.pem"), join(path, "leaf.pem")]
    const signed = ["-CA", cert, "-CAkey", key, "-subj", "/CN=127.0.0.1"]
    execFileSync(
      "openssl",
      ["req", "-x509", ...kind, "-nodes", "-keyout", leafKey, "-out", leaf, ...signed],
      { stdio: "ignore" }
    )
    const url = yield* secureStranger({ key: readFileSync(key), cert: readFileSync(cert) })
    const ofAuthority = yield* secureStranger({
      key: readFileSync(leafKey),
      cert: readFileSync(leaf)
    })
    const withoutCertificate = yield* secureStranger({})
    for (const [called, authority, complaint] of [
      [
        url,
        {},
        `the certificate of ${url}/v1 is not trusted (self-signed certificate): set NODE_EXTRA_CA_CERTS to the certificate of its authority\n`
      ],
      [
        url,
        { NODE_EXTRA_CA_CERTS: cert },
        expect.stringMatching(
          /^the certificate of https:\S+ is not valid \(.*127\.0\.0\.1 is not in the cert's list.*\)\n$/
        )
      ],
      [
        ofAuthority,
        {},
        expect.stringMatching(
          /^the certificate of https:\S+ is not trusted \(.*\): set NODE_EXTRA_/
        )
      ],
      [
        withoutCertificate,
        {},
        expect.stringMatching(
          /^the TLS handshake with https:\S+ failed \([^)]*alert handshake failure\)\n$/
        )
      ]
    ] as const) {
      const environment = {
        PETSTORE_URL: called,
        PETSTORE_API_KEY: "the-key-of-the-tests",
        ...authority
      }
      // Node reads the certificate when it starts.
      const runs = "NODE_EXTRA_CA_CERTS" in authority ? Process.run : run
      const result = yield* runs(path, ["pets", "get", "1"], { environment })
      expect(result).toMatchObject({ code: 3, stdout: "", stderr: complaint })
    }
  })

  live("says that the key is rejected or lacks a scope, and exits with 4", function* () {
    const { environment, path, pets } = yield* service()
    const other = { ...environment, PETSTORE_API_KEY: "other" }
    const refused = yield* run(path, ["pets", "get", "1"], { environment: other })
    expect(refused).toMatchObject({ code: 4, stdout: "" })
    expect(refused.stderr).toMatch(/^the API key is not valid: set PETSTORE_API_KEY to a key/)
    expect(yield* pets("get", "1")).toMatchObject({ code: 1 })
    const made = yield* createKey(path, { scopes: ["pets:read"] })
    const reader = { ...environment, PETSTORE_API_KEY: made.key }
    expect(yield* run(path, ["pets", "list"], { environment: reader })).toMatchObject({ code: 0 })
    const add = ["pets", "add", "--name", "a", "--category", "1"]
    expect(yield* run(path, add, { environment: reader })).toMatchObject({ code: 4, stdout: "" })
  })

  live("does not send a mistyped or missing key", function* () {
    let requests = 0
    const url = yield* stranger((_, response) => {
      requests++
      response.end("{}")
    })
    const { key } = yield* createKey(yield* folder)
    const mistyped = key.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
    for (const [text, complaint] of [
      [mistyped, "PETSTORE_API_KEY is mistyped: checksum mismatch\n"],
      [`${key} `, "PETSTORE_API_KEY must be an API key without spaces\n"],
      ["", "PETSTORE_API_KEY must be set to an API key; petstore keys create issues one\n"]
    ] as const) {
      expect(yield* get(url, [], text)).toMatchObject({ code: 2, stdout: "", stderr: complaint })
    }
    expect(requests).toBe(0)
    expect(yield* get("pets.example.org", [], key)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^PETSTORE_URL must be a URL such as https:/)
    })
  })

  live("recognises a server that is not a Pet Store", function* () {
    const url = yield* stranger((_, response) => response.end("<h1>hello</h1>"))
    expect(yield* get(url)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `${url}/v1 is not a Pet Store: set PETSTORE_URL to a running service\n`
    })
  })

  live.each([503, 429])("exits with 3 after a %i, and escapes its message", function* (status) {
    const body = JSON.stringify({ message: "later\u001b[2J" })
    const url = yield* stranger((_, response) => response.writeHead(status).end(body))
    const { code, stderr } = yield* get(url)
    expect(code).toBe(3)
    expect(stderr).toMatch(/^later/)
    expect(stderr).not.toMatch(escapes)
  })
})

describe("a service that did not answer", () => {
  const tls = (code: string, message = "no") =>
    new NetworkFailure(code, { cause: Object.assign(new Error(message), { code }) })
  const plain = /^https:\S+ speaks http, not https: use http:\/\/pets\.test\/v1$/
  const untrusted = /^the certificate of https:\S+ is not trusted \(no\)/

  live.each([
    [new TimedOut("no answer within 30000 ms"), /^cannot reach https:\/\/pets\.test\/v1: /],
    [tls("ECONNREFUSED"), /^cannot reach https:\/\/pets\.test\/v1: /],
    [tls("ERR_SSL_PACKET_LENGTH_TOO_LONG"), plain],
    [tls("EPROTO", "wrong version number"), plain],
    [tls("DEPTH_ZERO_SELF_SIGNED_CERT"), untrusted],
    [tls("UNABLE_TO_GET_ISSUER_CERT_LOCALLY"), untrusted],
    [tls("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), untrusted],
    [tls("CERT_UNTRUSTED"), untrusted],
    [
      tls("CERT_HAS_EXPIRED", "a\u001b[2J"),
      /^the certificate of \S+ is not valid \(a\\u001b\[2J\)$/
    ]
  ] as const)("says why, and exits with 3: %s", function* ([error, message]) {
    const environment = { PETSTORE_URL: "https://pets.test", PETSTORE_API_KEY: "a-key" }
    const failed = yield* PetsClient.call(() => Effect.fail(error)).pipe(
      Effect.withConfigProvider(ConfigProvider.fromJson(environment)),
      Effect.flip
    )
    expect(failed).toMatchObject({ reason: "unavailable", message: expect.stringMatching(message) })
  })
})
