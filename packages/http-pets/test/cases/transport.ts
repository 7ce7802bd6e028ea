/** What the transport does for any API, at the Pet Store's own paths; its own tests have the rest. */
import {
  answer,
  created,
  forbidden,
  found,
  malformed,
  noKey,
  notAllowed,
  notFound,
  options,
  refusal,
  withId,
  wrongKey,
  wrongType
} from "../support/Expected.ts"
import { create, keys } from "../support/Request.ts"
import { tables } from "../support/Suites.ts"

export const { suite, suites } = tables()

const target = "/v1/pets"
const pet = '{"name":"n","categoryId":1}'
const fields = '"name":"n","categoryId":1'
const none = found("[]")
const ok = answer(200, '{"status":"ok"}')
const index =
  '{"name":"Pet Store","version":"1.0.0","links":{"docs":"/docs","openapi":"/openapi.json",' +
  '"health":"/healthz","readiness":"/readyz","pets":"/v1/pets"}}'

suite("keys", [
  ["need a scheme", { target, key: null, headers: [`Authorization: ${keys.all}`] }, noKey],
  ["are needed even where there is nothing", { target: "/v1/none", key: null }, noKey],
  ["that are wrong are refused", { target, key: "wrong" }, wrongKey],
  ["may be for reading alone", { target, key: keys.read }, none],
  ["to write cannot list", { target, key: keys.write }, forbidden("pets:read")],
  ["to write cannot get", { target: "/v1/pets/1", key: keys.write }, forbidden("pets:read")],
  ["to read cannot add", { ...create(pet), key: keys.read }, forbidden("pets:write")]
])

suite("paths", [
  ["are exact", { target: "/v1/pets/" }, notFound],
  ["are case-sensitive", { target: "/v1/Pets" }, notFound],
  ["have no aliases", { target: "/v1/%70ets" }, notFound],
  ["start with the version", { target: "/pets", key: null }, notFound],
  ["have no orders", { target: "/v1/store/orders" }, notFound],
  ["list their methods", { target, method: "OPTIONS" }, options("GET, HEAD, POST, OPTIONS")],
  ["refuse others", { target, method: "PUT" }, notAllowed("GET, HEAD, POST, OPTIONS")],
  ["are alive", { target: "/healthz", key: null }, ok],
  ["are ready", { target: "/readyz", key: null }, ok],
  ["have an index", { target: "/", key: null }, answer(200, index, ["Vary: Accept"])]
])

suite("requests", [
  ["keep their id", { target, headers: ["X-Request-Id: abc"] }, withId(none, "abc")],
  ["get another for a bad one", { target, headers: ["X-Request-Id: a b"] }, none],
  [
    "add with an id of their own",
    { ...create(pet), headers: ["X-Request-Id: abc"] },
    (id) => withId(created(fields)(id), "abc")
  ]
])

suite("bodies", [
  ["that are empty are refused", create(""), malformed("the body is empty")],
  [
    "that are no JSON are refused",
    create('{"name":"n",}'),
    malformed("the body is not JSON: unexpected text at character 13")
  ],
  [
    "that are not UTF-8 are refused",
    create(Buffer.from('{"name":"\xff","categoryId":1}', "latin1")),
    malformed("the body is not UTF-8")
  ],
  ["of another type are refused", { ...create(pet), type: "text/plain" }, wrongType],
  [
    "of 64 KiB are taken",
    create(`{"name":"n","categoryId":1,"more":"${"n".repeat(65_499)}"}`),
    created('"name":"n","categoryId":1')
  ],
  [
    "of more are refused",
    create(`{"name":"n","categoryId":1,"more":"${"n".repeat(65_500)}"}`),
    refusal("payload_too_large", "the body must have at most 65536 bytes")
  ]
])
