/** The service with a hundred times the animals: what a request costs must not depend on them. */
import { nextPath, request } from "./Client.ts"
import { type Aim, type Change, compare } from "./Comparison.ts"
import type { Generator } from "./Load.ts"
import { type Running, residentMegabytes, start } from "./Process.ts"
import type { Progress } from "./Progress.ts"
import { seed } from "./Seed.ts"
import type { Server } from "./Servers.ts"
import { reading, type Work } from "./Works.ts"

export interface Growth {
  readonly few: number
  readonly many: number
  readonly works: ReadonlyArray<Change>
  /** The first and the last page of a walk through all the animals. */
  readonly walk: Change
  readonly idleMegabytes: { readonly few: number; readonly many: number }
  readonly loadedMegabytes: { readonly few: number; readonly many: number }
}

const walkLimit = 100

export const run = async (
  generator: Generator,
  progress: Progress,
  service: Server,
  works: ReadonlyArray<Work>,
  rounds: number,
  [few, many]: readonly [number, number]
): Promise<Growth> => {
  progress.step(`growth: ${many} animals`)
  const small = await start(service, await seed(service, "few", few))
  const large = await start(service, await seed(service, "many", many))
  const memory = () => ({ few: residentMegabytes(small.pid), many: residentMegabytes(large.pid) })
  try {
    const idleMegabytes = memory()
    progress.step("growth: a walk through all the animals")
    const lastPage = await walk(large, many)

    const change = (what: string, before: Aim, after: Aim): Promise<Change> =>
      compare(
        generator,
        progress,
        { what: `growth: ${what}`, isFirst: what === works[0]?.title, rounds },
        before,
        after
      ).then((change) => ({ ...change, what }))

    const page = (path: string): Aim => ({
      running: large,
      work: reading("walk", path),
      animals: many
    })
    const walked = await change(
      "last page of a walk",
      page(`/v1/pets?limit=${walkLimit}`),
      page(lastPage)
    )
    const changes: Array<Change> = []
    for (const work of works) {
      const before = { running: small, work, animals: few }
      changes.push(await change(work.title, before, { running: large, work, animals: many }))
    }
    return { few, many, works: changes, walk: walked, idleMegabytes, loadedMegabytes: memory() }
  } finally {
    await Promise.all([small.stop(), large.stop()])
  }
}

/** Follows every link to the last page, and gives its path. Every animal must come by once. */
const walk = async ({ origin }: Running, animals: number): Promise<string> => {
  let path = `/v1/pets?limit=${walkLimit}`
  let id = 0
  for (;;) {
    const answer = await request(origin, { method: "GET", path, body: "" })
    for (const pet of answer.body as ReadonlyArray<{ readonly id: number }>) {
      id += 1
      if (pet.id !== id) throw new Error(`the walk came to animal ${pet.id} instead of ${id}`)
    }
    const next = nextPath(answer)
    if (next === undefined) break
    path = next
  }
  if (id !== animals) throw new Error(`the walk saw ${id} animals of ${animals}`)
  return path
}
