/** Load from wrk. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type Burst, connections, seconds, type Target } from "./Burst.ts"
import { apiKey } from "./Servers.ts"

const script = fileURLToPath(new URL("../../src/wrk.lua", import.meta.url))

export const burst = async ({ origin, work, animals, seed }: Target): Promise<Burst> => {
  const calls = work.mix.flatMap(({ times, call }) => [
    String(times),
    call.method,
    call.path,
    call.body,
    call.closes ? "close" : "keep-alive"
  ])
  const { stdout } = await promisify(execFile)("wrk", [
    "--threads=1",
    `--connections=${connections}`,
    `--duration=${seconds}s`,
    "--timeout=10s",
    `--script=${script}`,
    origin,
    "--",
    apiKey,
    String(animals),
    String(seed),
    String(connections),
    ...calls
  ])
  const summary = stdout.split("\n").findLast((line) => line.startsWith("{"))
  if (summary === undefined) throw new Error(`wrk said nothing of what it did: ${stdout}`)
  return JSON.parse(summary) as Burst
}
