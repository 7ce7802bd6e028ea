/** The files of the page `/docs`: on disk, compressed, and read only if the page is opened. */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import * as Zlib from "node:zlib"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { StaticContent } from "./StaticContent.ts"

const names = ["reference.js", "start.js"]
const gunzip = promisify(Zlib.gunzip)

/** The version of files with these compressed contents; the build writes it beside them. */
export const versionOf = (contents: ReadonlyArray<Uint8Array>): string => {
  const hash = createHash("sha256")
  for (const content of contents) hash.update(content)
  return hash.digest("hex").slice(0, 16)
}

/**
 * Reads the files in a folder when they are first needed, all of them at once, makes the page for their version, and keeps
 * both: an upgrade may replace them while the server runs. A failure is not kept.
 */
export const make = (folder: URL, pageOf: (version: string) => StaticContent) =>
  Effect.map(
    Effect.cachedInvalidateWithTTL(read(folder, pageOf), Duration.infinity),
    ([files, forget]) => Effect.tapDefect(files, () => forget)
  )

const read = (folder: URL, pageOf: (version: string) => StaticContent) =>
  Effect.gen(function* () {
    const file = (name: string) => Effect.promise(() => readFile(new URL(name, folder)))
    const version = String(yield* file("version"))
    const packed = yield* Effect.forEach(names, (name) => file(`${name}.gz`))
    if (versionOf(packed) !== version)
      return yield* Effect.dieMessage(
        "the files of /docs are not of one version: an upgrade may be replacing them"
      )
    const contents = new Map<string, StaticContent>()
    for (const [at, gzip] of packed.entries())
      contents.set(names[at] ?? "", {
        type: "text/javascript; charset=utf-8",
        tag: `W/"${version}"`,
        // The version changes whenever a file does, so that callers may keep files of a version for ever.
        headers: [["Cache-Control", "public, max-age=31536000, immutable"]],
        plain: yield* Effect.cached(Effect.promise(() => gunzip(gzip))),
        gzip: Effect.succeed(gzip)
      })
    return { version, contents, page: pageOf(version) }
  })
