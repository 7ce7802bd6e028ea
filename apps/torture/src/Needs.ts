/** What some experiments need of the machine. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

const isCommand = (name: string) => spawnSync("which", [name]).status === 0

const tests = {
  Linux: () => process.platform === "linux",
  root: () => process.getuid?.() === 0,
  strace: () => isCommand("strace"),
  faketime: () => isCommand("faketime"),
  Perl: () => isCommand("perl"),
  "loop devices": () => existsSync("/dev/loop-control") && isCommand("mkfs.ext4")
}

/** The name of something that an experiment needs. */
export type Need = keyof typeof tests

/** Those that this machine lacks. */
export const missing = (needs: ReadonlyArray<Need>): ReadonlyArray<Need> =>
  needs.filter((need) => !tests[need]())
