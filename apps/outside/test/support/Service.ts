/** The service of this workspace, for clients to call. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type AtEnd, run, serve } from "./Processes.ts"
import { workspace } from "./Projects.ts"

/** The key that the service accepts. */
export const key = "key-of-the-outside-0123456789abcdef"

/** The first pet of the service. Like those that follow, its id is not exact as a `number`. */
export const firstPet = { id: "9007199254740993", name: "Eva", categoryId: "1" }

const program = join(workspace, "apps/api/dist/main.js")

const placeIn = (folder: string) => ({
  cwd: folder,
  env: {
    PORT: "0",
    DATABASE_URL: `sqlite:${join(folder, "service.db")}`,
    PETSTORE_API_KEYS: key
  }
})

/** Starts the service with a new database in this folder, and perhaps with other settings. */
export const startEmpty = (folder: string, atEnd: AtEnd, settings = {}): Promise<string> => {
  const { cwd, env } = placeIn(folder)
  return serve(process.execPath, [program], { cwd, env: { ...env, ...settings } }, atEnd)
}

/** The same with the first pet, open to pages of this origin, if there is one. */
export const start = async (folder: string, atEnd: AtEnd, origin = ""): Promise<string> => {
  const { cwd, env } = placeIn(folder)
  const { categoryId, id, name } = firstPet
  const pets = join(folder, "pets.ndjson")
  writeFileSync(pets, `{"id":${id},"name":"${name}","categoryId":${categoryId}}\n`)
  await run(process.execPath, [program, "import", pets], { cwd, env })
  const place = { cwd, env: { ...env, PETSTORE_CORS_ORIGINS: origin } }
  return serve(process.execPath, [program], place, atEnd)
}
