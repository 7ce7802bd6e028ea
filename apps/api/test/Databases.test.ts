import { expect, it } from "@effect/vitest"
import { Either } from "effect"
import * as Databases from "../src/databases/Databases.ts"

it.each([
  ["postgres://me:se@cr/et@host/pets", undefined],
  ["postgres://me:1/secret@host/pets", undefined],
  ["postgres://me:1?secret@host/pets", undefined],
  ["postgres://me:1#secret@host/pets", undefined],
  ["postgres://host:1/pets#secret", undefined],
  ["postgres://host:1/se/secret", undefined],
  ["Postgres://me:secret@host/pets", undefined],
  ["postgres://host/pets;password=secret", undefined],
  ["mysql://me:secret@host/pets", undefined],
  ["host=db user=me password=secret", undefined],
  ["me:secret@host/pets", undefined],
  ["sqlite:data/me@home.db", `sqlite:${process.cwd()}/data/me@home.db`],
  ["sqlite::memory:", undefined],
  ["sqlite://host/secret.db", undefined],
  ["sqlite:./pets.db", `sqlite:${process.cwd()}/pets.db`],
  ["sqlite:link/../pets.db", `sqlite:${process.cwd()}/link/../pets.db`],
  ["sqlite:///pets.db", "sqlite:/pets.db"],
  ["sqlite://secret/pets.db", undefined],
  ["sqlite::memory:", undefined],
  ["postgres:///pets?host=/run/postgresql", "postgres:///pets?***"],
  ["postgres://%2Frun%2Fpostgresql/pets", "postgres://%2Frun%2Fpostgresql/pets"],
  ["postgres://me:se@secret@host:5432/pets", "postgres://***@host:5432/pets"],
  ["postgres://host/pets?sslpassword=secret", "postgres://host/pets?***"],
  ["postgres://me:secret@a:1,b/pets?target_session_attrs=any", "postgres://***@a:1,b/pets?***"],
  ["postgres://[::1]:1,db.example:2,c/pets", "postgres://[::1]:1,db.example:2,c/pets"],
  ["postgres://me:1,secret@a,b/pets", "postgres://***@a,b/pets"],
  ["postgres://me@a:1,b:secret/pets", undefined],
  ["postgres://me:a:1,secret/x@b:2/pets", undefined],
  ["postgres://me:secret@/pets", undefined],
  ["postgresql://[::1]:5432/pets?PASSWORD=secret", "postgresql://[::1]:5432/pets?***"]
])("the URL of a database %s is shown as %s, and never with a secret", (url, shown) => {
  const found = Databases.parse(url)
  expect(Either.getOrUndefined(found)?.url).toBe(shown)
  if (Either.isLeft(found)) expect(found.left).not.toMatch(/secret|cr\/et/)
})
