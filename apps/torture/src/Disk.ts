/** A disk of its own, whose power can be cut. */
import { execFile } from "node:child_process"
import { mkdirSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Storage from "./Storage.ts"

/** A mounted file system. */
export interface Disk {
  /** Where it is mounted. */
  readonly path: string
  /**
   * Cuts its power and stops this process: what was not written stays unwritten, and every access fails until it is mounted
   * again. A sync that the cut meets may still succeed, though it wrote nothing; after a power cut nobody would hear of it.
   */
  readonly cut: (pid: number) => Effect.Effect<void>
  /** Mounts it again. No process may use it. */
  readonly remount: Effect.Effect<void>
}

const bytes = 256 * 1024 * 1024

/** `EXT4_IOC_SHUTDOWN` with `EXT4_GOING_FLAGS_NOLOGFLUSH`: Perl is part of every Debian. */
const cutPower =
  'my $how = pack("L", 2); open(DISK, "<", $ARGV[0]) and kill("STOP", $ARGV[1]) and ioctl(DISK, 0x8004587d, $how) or die "$!\\n"'

const execute = (command: string, ...words: ReadonlyArray<string>) =>
  Effect.promise(() => promisify(execFile)(command, words))

/** A new ext4 in a file, mounted until the scope closes. */
export const make: Effect.Effect<Disk, never, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* Storage.folder
  const [image, path] = [join(folder, "image"), join(folder, "disk")]
  writeFileSync(image, "")
  truncateSync(image, bytes)
  mkdirSync(path)
  yield* execute("mkfs.ext4", "-q", "-F", image)
  const mount = execute("mount", "-o", "loop", image, path)
  // A process that was killed may hold it for a moment.
  const unmount = Effect.retry(
    Effect.tryPromise(() => promisify(execFile)("umount", [path])),
    { times: 50, schedule: Schedule.spaced("100 millis") }
  )
  yield* Effect.acquireRelease(mount, () => Effect.orDie(unmount))
  return {
    path,
    cut: (pid) => Effect.asVoid(execute("perl", "-e", cutPower, path, String(pid))),
    remount: Effect.uninterruptible(Effect.asVoid(Effect.zipRight(Effect.orDie(unmount), mount)))
  }
})
