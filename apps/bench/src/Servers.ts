/** Who is compared: the service, and how each peer is started. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** A program that serves the interface from a database: a file of SQLite, or the URL of PostgreSQL. */
export interface Server {
  readonly name: string
  readonly title: string
  readonly command: string
  readonly file: string
  /** What is written behind the file to start the server. */
  readonly words: ReadonlyArray<string>
  /** The one work that it takes part in, if not in all. */
  readonly onlyWork?: string
  /** The oldest Node that it runs on, if the others run on older ones. */
  readonly leastNode?: number
  readonly environment: (port: number, database: string) => Record<string, string>
}

export const apiKey = "bench-key-0123456789abcdef0123456789abcdef"
export const ours = "ours"
export const fastify = "fastify"
export const floor = "floor"

/** The folder of this app. */
export const home = fileURLToPath(new URL("../../", import.meta.url))

/** The built service, which creates its own schema. */
export const service = (program = join(home, "../api/dist/main.js")): Server => ({
  name: ours,
  title: "ours",
  command: process.execPath,
  file: program,
  // As units and images start it.
  words: ["serve"],
  environment: (port, database) => ({
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: `sqlite:${database}`,
    PETSTORE_API_KEYS: apiKey,
    LOG_LEVEL: "warning"
  })
})

const peer = (name: string, title: string, command = process.execPath, file = name): Server => ({
  name,
  title,
  command,
  file: fileURLToPath(new URL(`../peers/${file}.js`, import.meta.url)),
  words: [],
  environment: (port, database) => ({
    PORT: String(port),
    DATABASE_ADDRESS: database,
    API_KEY: apiKey
  })
})

/** The service with more variables than it has already. */
export const withEnvironment = (
  server: Server,
  title: string,
  more: (database: string) => Record<string, string>
): Server => ({
  ...server,
  title,
  environment: (port, database) => ({ ...server.environment(port, database), ...more(database) })
})

/** The service without a database: it is started, and compared with nothing else. */
export const inMemory = (service: Server): Server => ({
  ...withEnvironment(service, "ours in memory", () => ({ DATABASE_URL: "memory:" })),
  name: "memory"
})

/** Those that are compared on PostgreSQL. */
export const onPostgres = (service: Server): ReadonlyArray<Server> => [
  withEnvironment(service, "ours", (url) => ({ DATABASE_URL: url })),
  peer(fastify, "Fastify with pg", process.execPath, "fastifyPostgres")
]

/** Started without its wrapper, so that the process that is watched is the one that serves. */
const bun = join(dirname(createRequire(import.meta.url).resolve("bun/package.json")), "bin/bun.exe")

const withHeaders = withEnvironment(
  peer("headers", "", process.execPath, fastify),
  "Fastify, headers as ours",
  () => ({ HEADERS: "as ours" })
)

/** In a folder of its own, since a workspace has one Effect. */
const effect4: Server = {
  ...peer("effect4", "Effect 4 HttpApi"),
  file: join(home, "effect4/dist/effect4/server.js"),
  leastNode: 24
}

export const peers: ReadonlyArray<Server> = [
  peer(fastify, "Fastify"),
  peer("elysia", "Elysia on Bun", bun),
  peer("hono", "Hono"),
  peer("express", "Express"),
  peer("effect3", "Effect 3 HttpApi"),
  effect4,
  // An answer to this work only.
  { ...peer(floor, "constant body"), onlyWork: "list20" },
  { ...withHeaders, onlyWork: "get" }
]
export const peerNames = peers.map(({ name }) => name)
