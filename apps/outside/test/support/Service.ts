/** The service of this workspace, for clients to call. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type AtEnd, run, serve } from "./Processes.ts"
import { workspace } from "./Workspace.ts"

/** The key that the service accepts. */
export const key = "key-of-the-outside-0123456789abcdef"

/** The first pet of the service. Like those that follow, its id is not exact as a `number`. */
export const firstPet = { id: "9007199254740993", name: "Eva", categoryId: "1" }

const program = join(workspace, "apps/api/dist/main.js")

/** Starts the service with a new database in this folder. */
export const startEmpty = (folder: string, atEnd: AtEnd, settings = {}): Promise<string> => {
  const DATABASE_URL = `sqlite:${join(folder, "service.db")}`
  const env = { PORT: "0", DATABASE_URL, PETSTORE_API_KEYS: key, ...settings }
  return serve(process.execPath, [program], { cwd: folder, env }, atEnd)
}

/** The same with the first pet. */
export const start = async (folder: string, atEnd: AtEnd): Promise<string> => {
  const { categoryId, id, name } = firstPet
  const pet = `{"id":${id},"name":"${name}","categoryId":${categoryId}}\n`
  writeFileSync(join(folder, "pets.ndjson"), pet)
  const env = { DATABASE_URL: `sqlite:${join(folder, "service.db")}` }
  await run(process.execPath, [program, "import", "pets.ndjson"], { cwd: folder, env })
  return startEmpty(folder, atEnd)
}
