/** Processes: servers, which are started, watched and stopped, and commands, which end by themselves. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { request } from "./Client.ts"
import type { Server } from "./Servers.ts"

export interface Running {
  readonly server: Server
  readonly origin: string
  readonly pid: number
  /** From the start of the process to its first success on a list. */
  readonly startMillis: number
  readonly stop: () => Promise<void>
}

const patienceMillis = 20_000
const { PATH } = process.env
const children = new Set<ChildProcess>()
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL")
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

export const start = async (server: Server, database: string): Promise<Running> => {
  const port = await freePort()
  const began = performance.now()
  const { child, printed } = launch(server, server.words, port, database)
  const origin = `http://127.0.0.1:${port}`
  while (!(await answers(origin))) {
    if (child.exitCode !== null || performance.now() - began > patienceMillis) {
      child.kill("SIGKILL")
      throw new Error(`${server.title} did not start: ${printed().trim() || "it never answered"}`)
    }
    await sleep(4)
  }
  const startMillis = performance.now() - began
  if (child.pid === undefined) throw new Error(`${server.title} has no process id`)
  return { server, origin, pid: child.pid, startMillis, stop: () => stop(child) }
}

/** Runs a command of the service to its end, and tells how long that took and what it said. */
export const runToEnd = async (
  server: Server,
  database: string,
  words: ReadonlyArray<string>
): Promise<{ readonly millis: number; readonly stderr: string }> => {
  const began = performance.now()
  const { child, printed } = launch(server, words, 0, database)
  await once(child, "close")
  children.delete(child)
  return { millis: performance.now() - began, stderr: printed() }
}

/** Starts a process, and keeps the end of what it prints on standard error. */
const launch = (
  server: Server,
  words: ReadonlyArray<string>,
  port: number,
  database: string
): { readonly child: ChildProcess; readonly printed: () => string } => {
  const child = spawn(server.command, [server.file, ...words], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH, NODE_ENV: "production", ...server.environment(port, database) }
  })
  children.add(child)
  let complaint = ""
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2000)
  })
  return { child, printed: () => complaint }
}

const answers = (origin: string): Promise<boolean> =>
  request(origin, { method: "GET", path: "/v1/pets?limit=1", body: "" }).then(
    ({ status }) => status === 200,
    () => false
  )

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    const last = setTimeout(() => child.kill("SIGKILL"), 10_000)
    await ended
    clearTimeout(last)
  }
  children.delete(child)
}

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  if (address === null || typeof address === "string") throw new Error("there is no free port")
  return address.port
}

/** Linux tells times in ticks of a hundredth of a second, whatever its own clock is. */
const microsPerTick = 10_000

/** The CPU time that all threads of a process have used. */
export const cpuMicros = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The second field is the program's name, which may hold spaces, so counting begins behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * microsPerTick
}

/** The memory of a process that is resident, in millions of bytes. */
export const residentMegabytes = (pid: number): number => {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return (Number(kibibytes) * 1024) / 1e6
}
