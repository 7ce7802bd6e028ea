/** A file system without hard links. */
import { createRequire, syncBuiltinESMExports } from "node:module"
import { Effect } from "effect"

type Functions = Pick<typeof import("node:fs/promises"), "link" | "rename">

const functions: Functions = createRequire(import.meta.url)("node:fs/promises")
const real = { ...functions }

const use = (others: Partial<Functions>) =>
  Effect.sync(() => {
    Object.assign(functions, others)
    syncBuiltinESMExports()
  })

const refused = Object.assign(new Error("operation not permitted"), { code: "EPERM" })

/** Lets links fail while the scope is open, and calls back before each rename. */
export const noHardLinks = (onRename: (from: string, to: string) => void = () => {}) =>
  Effect.acquireRelease(
    use({
      link: () => Promise.reject(refused),
      rename: (from, to) => {
        onRename(String(from), String(to))
        return real.rename(from, to)
      }
    }),
    () => use({ link: real.link, rename: real.rename })
  )
