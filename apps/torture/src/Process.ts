/** What the kernel knows about the process of a service. */
import { readdirSync, readFileSync } from "node:fs"
import type { Service } from "./Service.ts"

/** None if the process has ended. */
const textOf = (service: Service, file: string): string => {
  try {
    return readFileSync(`/proc/${service.pid()}/${file}`, "latin1")
  } catch {
    return ""
  }
}

/** How much memory it has, or has had at most, in megabytes. */
export const megabytes = (service: Service, which: "VmRSS" | "VmHWM" = "VmRSS"): number => {
  const [, kilobytes = 0] = new RegExp(`${which}:\\s+(\\d+)`).exec(textOf(service, "status")) ?? []
  return Number(kilobytes) / 1024
}

/** How many descriptors it has open. */
export const descriptors = (service: Service): number =>
  readdirSync(`/proc/${service.pid()}/fd`).length

/** What it shows of itself to everyone on the machine. */
export const titles = (service: Service): string =>
  textOf(service, "cmdline") + textOf(service, "comm")
