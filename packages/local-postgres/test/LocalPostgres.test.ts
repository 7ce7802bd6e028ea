import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import * as LocalPostgres from "@petstore/local-postgres/LocalPostgres"
import { expect, it, onTestFinished } from "vitest"

const module = fileURLToPath(new URL("../dist/LocalPostgres.js", import.meta.url))

/** Runs a script that starts a server and does what `then` says and prints its folder. */
const run = (then: string) => {
  const script = `
    import { administer, start } from ${JSON.stringify(module)}
    const server = await start("fsync=off")
    ${then}
    console.log(server.data)`
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
    // A group of its own, as those of a shell.
    detached: true
  })
  const folder = new Promise<string>((resolve) =>
    child.stdout.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()))
  )
  const code = new Promise<number | null>((resolve) => child.once("exit", resolve))
  return { child, code, folder }
}

it("ends with the process that started it, and leaves no files", async () => {
  const { child, code, folder } = run("")
  const data = await folder
  expect(existsSync(data)).toBe(true)
  child.kill("SIGKILL")
  await code
  await expect.poll(() => existsSync(data)).toBe(false)
})

it("goes on after Ctrl-C, which all processes of a terminal get, until it is removed, and leaves the exit code as it is", async () => {
  const { child, code, folder } = run(`
    process.on("SIGINT", async () => {
      process.exitCode = await administer(server.port, "SELECT 7")
      await server.remove()
      clearInterval(timer)
    })
    const timer = setInterval(() => {}, 1000)`)
  const data = await folder
  process.kill(-(child.pid ?? 0), "SIGINT")
  expect(await code).toBe(7)
  expect(existsSync(data)).toBe(false)
})

it("starts again on its port after it was stopped or killed, with what was committed", async () => {
  const server = await LocalPostgres.start("fsync=off")
  onTestFinished(server.remove)
  const url = await server.createDatabase()
  await LocalPostgres.execute(url, "CREATE TABLE things AS SELECT 7 AS id")
  for (const end of [server.stop, async () => server.kill()]) {
    const pid = LocalPostgres.pidOf(server.data)
    await end()
    if (end === server.stop) expect(() => LocalPostgres.pidOf(server.data)).toThrow("ENOENT")
    await server.start()
    expect(LocalPostgres.pidOf(server.data)).not.toBe(pid)
    expect(await LocalPostgres.execute(url, "SELECT id FROM things")).toBe(7)
  }
})

it("tries again if a server does not start, as often as it may, and leaves no files", async () => {
  const folders: Array<string> = []
  const fill = async ({ data }: { readonly data: string }) => void folders.push(dirname(data))
  const starting = LocalPostgres.startWith([], fill, 2)
  await expect(starting).rejects.toThrow("PostgreSQL does not start")
  expect(new Set(folders).size).toBe(2)
  expect(folders.filter((folder) => existsSync(folder))).toEqual([])
})
