import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const module = fileURLToPath(new URL("../dist/LocalPostgres.js", import.meta.url))

/** Runs a script that starts a server and prints its folder; `then` is its last part. */
const run = (then: string) => {
  const script = `
    import { start } from ${JSON.stringify(module)}
    const server = await start("fsync=off")
    console.log(server.data)
    ${then}`
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const folder = new Promise<string>((resolve) =>
    child.stdout.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()))
  )
  const code = new Promise<number | null>((resolve) => child.once("exit", resolve))
  return { child, code, folder }
}

it("does not change the exit code of a process, such as that of a test runner", async () => {
  const { code, folder } = run("process.exitCode = 7; await server.remove()")
  const data = await folder
  expect(await code).toBe(7)
  expect(existsSync(data)).toBe(false)
})

it("ends with the process that started it, and leaves no files", async () => {
  const { child, code, folder } = run("")
  const data = await folder
  expect(existsSync(data)).toBe(true)
  child.kill("SIGKILL")
  await code
  await expect.poll(() => existsSync(data), { timeout: 30_000 }).toBe(false)
})
