/** What the kernel knows about the processes of a service. */
import { readdirSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { sum } from "./Figures.ts"
import type { Service } from "./Service.ts"
import * as Wait from "./Wait.ts"

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "latin1")
  } catch {
    return ""
  }
}

/** The processes of a service: its own, and its workers. */
export const pidsOf = (service: Service): ReadonlyArray<number> => {
  const group = service.pid()
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      // The fields after the name in parentheses: state, parent, group.
      const [, , of] = (textOf(`/proc/${pid}/stat`).split(") ")[1] ?? "").split(" ")
      return pid > 0 && Number(of) === group
    })
}

/** How much memory the processes have, or have had at most, in megabytes. */
export const megabytes = (service: Service, which: "VmRSS" | "VmHWM" = "VmRSS"): number =>
  sum(
    pidsOf(service).map((pid) => {
      const [, kilobytes = 0] =
        new RegExp(`${which}:\\s+(\\d+)`).exec(textOf(`/proc/${pid}/status`)) ?? []
      return Number(kilobytes) / 1024
    })
  )

/** The memory once this holds. */
export const memory = (service: Service, isWarm: () => boolean): Effect.Effect<number> =>
  Effect.map(Wait.holds(isWarm), () => megabytes(service))

/** How many descriptors the processes have open. */
export const descriptors = (service: Service): number =>
  sum(
    pidsOf(service).map((pid) => {
      try {
        return readdirSync(`/proc/${pid}/fd`).length
      } catch {
        return 0
      }
    })
  )

/** What the processes show of themselves to everyone on the machine. */
export const titles = (service: Service): string =>
  pidsOf(service)
    .map((pid) => textOf(`/proc/${pid}/cmdline`) + textOf(`/proc/${pid}/comm`))
    .join("\n")
