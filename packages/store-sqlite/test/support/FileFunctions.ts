/** Replaces functions of Node for files. */
import { createRequire, syncBuiltinESMExports } from "node:module"
import { basename } from "node:path"
import { Effect } from "effect"

type Functions = Pick<typeof import("node:fs/promises"), "link" | "open" | "rename">

const functions: Functions = createRequire(import.meta.url)("node:fs/promises")

/** Uses these in place of Node's while the scope is open. */
const use = (makeOthers: (real: Functions) => Partial<Functions>) => {
  const assign = (others: Partial<Functions>) => {
    Object.assign(functions, others)
    syncBuiltinESMExports()
  }
  return Effect.acquireRelease(
    Effect.sync(() => {
      const real = { ...functions }
      assign(makeOthers(real))
      return real
    }),
    (real) => Effect.sync(() => assign(real))
  )
}

const refused = Object.assign(new Error("operation not permitted"), { code: "EPERM" })

/** Lets links fail while the scope is open, as on a file system without them, and calls back before each rename. */
export const noHardLinks = (onRename: (from: string, to: string) => void = () => {}) =>
  use((real) => ({
    link: () => Promise.reject(refused),
    rename: async (from, to) => {
      onRename(String(from), String(to))
      return real.rename(from, to)
    }
  }))

/** Records what is synced, linked and renamed while the scope is open, in order. */
export const recorded = Effect.gen(function* () {
  const calls: Array<string> = []
  const record = (what: string, ...paths: ReadonlyArray<unknown>) =>
    calls.push([what, ...paths.map((path) => basename(String(path)))].join(" "))
  yield* use((real) => ({
    open: async (path, ...options) => {
      const file = await real.open(path, ...options)
      const sync = file.sync.bind(file)
      return Object.assign(file, {
        sync: async () => {
          await sync()
          record("sync", path)
        }
      })
    },
    link: async (from, to) => {
      await real.link(from, to)
      record("link", from, to)
    },
    rename: async (from, to) => {
      await real.rename(from, to)
      record("rename", from, to)
    }
  }))
  return calls
})
