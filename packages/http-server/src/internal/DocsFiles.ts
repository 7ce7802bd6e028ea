/** The files of the page `/docs`: on disk, compressed, and read only if the page is opened. */
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import * as Zlib from "node:zlib"
import * as Effect from "effect/Effect"
import type { StaticContent } from "./StaticContent.ts"

/** The files of the page. */
export interface DocsFiles {
  /** Changes whenever a file does, so that callers may keep files of a version for ever. */
  readonly version: Effect.Effect<string>
  /** A file of a version; none if there is no such file. */
  readonly find: (version: string, name: string) => Effect.Effect<StaticContent | undefined>
}

const names = ["reference.js", "start.js"]
const gunzip = promisify(Zlib.gunzip)

/** Finds the files in a folder. What is read is kept for a while: requests that come together share it. */
export const make = (folder: URL): Effect.Effect<DocsFiles> =>
  Effect.gen(function* () {
    const read = (name: string) => Effect.promise(() => readFile(new URL(name, folder)))
    const version = yield* kept(Effect.map(read("version"), String))
    const contents = new Map<string, Pick<StaticContent, "gzip" | "plain">>()
    for (const name of names) {
      const gzip = yield* kept(read(`${name}.gz`))
      const unpack = Effect.flatMap(gzip, (bytes) => Effect.promise(() => gunzip(bytes)))
      contents.set(name, { gzip, plain: yield* kept(unpack) })
    }
    return {
      version,
      find: (wanted, name) => {
        const content = contents.get(name)
        if (content === undefined) return Effect.succeed(undefined)
        return Effect.map(version, (version) =>
          version === wanted ? { ...forEver(version), ...content } : undefined
        )
      }
    }
  })

/** How a file of a version is described. */
const forEver = (version: string) => ({
  type: "text/javascript; charset=utf-8",
  tag: `W/"${version}"`,
  headers: ["Cache-Control", "public, max-age=31536000, immutable"]
})

const kept = <A>(effect: Effect.Effect<A>) => Effect.cachedWithTTL(effect, "1 minute")
