/** Files that appear once they are complete. What a killed process leaves, the next one of its user removes. */
import { randomUUID } from "node:crypto"
import { lstatSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { open, rm } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import * as NewFile from "@petstore/store-sqlite/NewFile"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Opens a file beside the one that it becomes, readable by its owner only. It is removed with the scope. */
export const make = <E>(file: string, onFailure: (cause: unknown) => E) =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => create(resolve(file)), catch: onFailure }),
    ({ handle, path }) =>
      Effect.promise(async () => {
        await handle.close()
        await rm(path, { force: true })
      })
  ).pipe(
    Effect.map(({ handle, path }) => ({
      write: (text: string) => handle.appendFile(text),
      /** Gives it its name. Resolves to false if another file has taken it. */
      publish: () => NewFile.publish(path, file)
    }))
  )

const create = async (file: string) => {
  const start = `${basename(file)}.partial-`
  for (const name of readdirSync(dirname(file))) {
    if (name.startsWith(start)) removeLeftover(join(dirname(file), name), name.slice(start.length))
  }
  const name = [start + space, process.pid, randomUUID().slice(0, 8)].join("-")
  const path = join(dirname(file), name)
  return { path, handle: await open(path, "wx", 0o600) }
}

/** Where process ids mean the same, such as this container, if the system tells. */
const space = Option.liftThrowable(() => readlinkSync("/proc/self/ns/pid"))().pipe(
  Option.match({ onNone: () => "", onSome: (link) => link.replaceAll(/\D/g, "") })
)

const dayMillis = 86_400_000

/** Removes a file of this user whose process has ended, or may run elsewhere but has not written for a day. */
const removeLeftover = (path: string, name: string): void => {
  const [, of, pid] = /^(\d*)-(\d+)-[0-9a-f]{8}$/.exec(name) ?? []
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (pid === undefined || !found?.isFile() || found.uid !== process.geteuid?.()) return
  const hasEnded = of === space && !isRunning(Number(pid))
  if (hasEnded || found.mtimeMs < Date.now() - dayMillis) rmSync(path, { force: true })
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH")
  }
}
