/** How long `petstore export` and `petstore import` take for the whole catalogue. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { runToEnd } from "./Process.ts"
import type { Progress } from "./Progress.ts"
import { folder, seed } from "./Seed.ts"
import type { Server } from "./Servers.ts"

export interface Transfer {
  readonly animals: number
  readonly formats: ReadonlyArray<{
    readonly format: string
    readonly exportSeconds: number
    readonly importSeconds: number
  }>
}

const formats = ["ndjson", "csv"]

/** How many steps of progress a run has. */
export const steps = 1 + 2 * formats.length

/** Exports the animals to a file of each format, and imports that file into a new database. */
export const run = async (
  progress: Progress,
  service: Server,
  animals: number
): Promise<Transfer> => {
  const part = `transfer: ${animals} animals`
  progress.step(part)
  const source = await seed(service, "source", animals)
  const timed = async (verb: string, format: string, database: string, file: string) => {
    progress.step(part, `${verb} of ${format}`)
    const { millis, stderr } = await runToEnd(service, database, [verb, file])
    if (stderr !== `${verb}ed ${animals} pets\n`) throw new Error(`${verb}: ${stderr.trim()}`)
    return millis / 1000
  }
  const found: Array<Transfer["formats"][number]> = []
  for (const format of formats) {
    const file = join(folder, `animals.${format}`)
    const exportSeconds = await timed("export", format, source, file)
    const importSeconds = await timed("import", format, join(folder, `${format}.db`), file)
    found.push({ format, exportSeconds, importSeconds })
    rmSync(file)
  }
  return { animals, formats: found }
}
