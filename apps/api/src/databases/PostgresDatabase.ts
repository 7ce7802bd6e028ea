/** A PostgreSQL database. Its driver is loaded only if it is used. */
import { mayAppear } from "@petstore/store-postgres/NoPrimary"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { invalid } from "../cli/CommandFailed.ts"
import { publicUrl } from "../cli/Secrets.ts"
import { type DurableDatabase, explain, forCommand, type Kind } from "./Database.ts"

/** The databases of URLs such as `postgres://user:password@host/petstore`. */
export const kind: Kind = {
  form: "postgres://<host>/<database>",
  parse: (url) => {
    const shown = publicUrl(url)
    const hosts = pattern.exec(shown)?.[1]
    const isValid = (host: string) => URL.canParse(shown.replace(hosts ?? "", () => host))
    return hosts?.split(",").every(isValid) ? make(url, shown) : undefined
  }
}

// Of a URL with a password that is not encoded, nothing is shown, or more than the name of a database.
const pattern = /^postgres(?:ql)?:\/\/(?:\*\*\*@)?([^/]*)(?:\/[^/;=]*(?:\?\*\*\*)?)?$/

const stores = Effect.promise(() => import("@petstore/store-postgres/PostgresStores"))
const inspection = Effect.promise(() => import("@petstore/store-postgres/PostgresInspection"))
const durability = Effect.promise(() => import("@petstore/store-postgres/PostgresDurability"))
const ids = Effect.promise(() => import("@petstore/store-postgres/PostgresIds"))

const make = (secretUrl: string, url: string): DurableDatabase => {
  const options = { url: Redacted.make(secretUrl), connectTimeout: forCommand.connectTimeout }
  return {
    url,
    explain: explain(url, {
      busy: "its server does not answer in time or has no free connection, or another program holds a lock; try again later",
      full: "free space on the disk of its server",
      "read-only": "connect to the primary server, not to a standby",
      damaged: "if it names a pet, correct that; else restore a backup",
      incompatible: "run the newest version of petstore, or set DATABASE_URL to another database",
      down: "check that PostgreSQL runs and has this database, and the address, user and password in DATABASE_URL (or PGPASSWORD)"
    }),
    layer: ({ connectTimeout, events, poolSize }) =>
      Layer.unwrapEffect(
        Effect.map(stores, ({ layer }) =>
          layer({
            ...options,
            connectTimeout,
            maxConnections: poolSize,
            onBatch: events?.onBatch,
            onOpen: events?.onPool
          })
        )
      ),
    mayAppear,
    exists: Effect.flatMap(inspection, ({ exists }) => exists(options)),
    inspect: Effect.flatMap(inspection, ({ run }) => run(options)),
    durability: Effect.flatMap(durability, ({ run }) => run(options)),
    lastAssigned: Effect.flatMap(ids, ({ last }) => last(options)),
    raiseLastAssigned: (id) => Effect.flatMap(ids, ({ raise }) => raise(options, id)),
    backups: invalid(
      `backup and restore are for SQLite files; for ${url} use pg_dump and pg_restore`
    )
  }
}
