/** Bursts of requests on 32 connections, from wrk where it is installed and autocannon elsewhere. */
import { execFileSync } from "node:child_process"
import * as Autocannon from "./Autocannon.ts"
import type { Burst, Target } from "./Burst.ts"
import * as Wrk from "./Wrk.ts"

export interface Generator {
  readonly name: string
  readonly burst: (target: Target) => Promise<Burst>
}

export const generator = (): Generator => {
  try {
    execFileSync("sh", ["-c", "command -v wrk"], { stdio: "ignore" })
    return { name: "wrk", burst: Wrk.burst }
  } catch {
    return { name: "autocannon", burst: Autocannon.burst }
  }
}
