/** The service and Fastify with pg, each with a database of its own on one PostgreSQL server. */
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import type { Generator } from "./Load.ts"
import { type Running, start } from "./Process.ts"
import type { Progress } from "./Progress.ts"
import type { Sampled } from "./Results.ts"
import * as Rounds from "./Rounds.ts"
import { insert } from "./Seed.ts"
import { onPostgres, ours, type Server } from "./Servers.ts"
import { verify } from "./Verify.ts"
import { works as allWorks, reading, type Work } from "./Works.ts"

const measured = ["create", "list20", "status", "get"]

/** The service reads equal pages that are asked for together only once, so that pages of other lengths are measured, too. */
const pages: Work = {
  ...reading("list 1 to 100", "/v1/pets?limit={limit}"),
  id: "pages",
  afterWrites: true
}
export const works = [...allWorks.filter(({ id }) => measured.includes(id)), pages]

/** How many steps the progress line will show. */
export const steps = (rounds: number): number => works.length * 2 * (rounds + 3)

export const run = async (
  generator: Generator,
  progress: Progress,
  service: Server,
  rounds: number,
  animals: number
): Promise<Sampled> => {
  const database = await LocalPostgres.start()
  const running: Array<Running> = []
  try {
    for (const server of onPostgres(service)) {
      running.push(
        await start(server, await seed(server, await database.createDatabase(), animals))
      )
    }
    for (const each of running) await verify(each)
    return { samples: await Rounds.run(generator, progress, running, works, rounds, animals) }
  } finally {
    await Promise.all(running.map(({ stop }) => stop()))
    await database.remove()
  }
}

/** Fills tables that the server itself created, and sets the id that follows. */
const seed = async (server: Server, url: string, animals: number): Promise<string> => {
  const running = await start(server, url)
  await running.stop()
  await LocalPostgres.execute(url, insert(animals))
  await LocalPostgres.execute(
    url,
    server.name === ours
      ? `UPDATE pet_ids SET last = ${animals}`
      : `SELECT setval('pets_id_seq', ${animals})`
  )
  await LocalPostgres.execute(url, "VACUUM ANALYZE")
  return url
}
