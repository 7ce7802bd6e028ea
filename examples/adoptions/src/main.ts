/** Serves on a port, from two files in the current folder, to callers with one key. */
import { ApiKeys } from "@petstore/access"
import * as NodeKeyMaker from "@petstore/access/NodeKeyMaker"
import { Pets } from "@petstore/domain"
import { ApiKeyAuthentication } from "@petstore/http-adapter"
import { ApiServer, HttpListener } from "@petstore/http-server"
import { SqliteStores } from "@petstore/store-sqlite"
import { Layer, ManagedRuntime } from "effect"
import * as Adoptions from "./Adoptions.ts"
import { scopes } from "./AdoptionsApi.ts"
import * as SqliteAdoptionStore from "./SqliteAdoptionStore.ts"

const { ADOPTIONS_KEY = "", PORT = "3000" } = process.env
if (ADOPTIONS_KEY.length < 32) throw new Error("ADOPTIONS_KEY must have at least 32 characters")
const key = { digest: NodeKeyMaker.digest(ADOPTIONS_KEY), scopes }
const listening = { ...HttpListener.defaults, host: "127.0.0.1", port: Number(PORT) }

const app = ApiServer.layer(Adoptions.at("/v1")).pipe(
  Layer.provide(ApiKeyAuthentication.layer),
  Layer.provide([Pets.layer, ApiKeys.layer({ fixed: [key] })]),
  Layer.provide([SqliteStores.layer({ filename: "pets.db" }), NodeKeyMaker.layer]),
  Layer.provide(SqliteAdoptionStore.layer("adoptions.db")),
  // The listener comes last, so that it closes last: requests in progress find the stores open.
  Layer.provideMerge(HttpListener.layer(listening))
)

const runtime = ManagedRuntime.make(app)
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => runtime.dispose())
const { url } = await runtime.runPromise(HttpListener.HttpListener)
process.stdout.write(`${url}\n`)
