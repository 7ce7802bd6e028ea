/** Finds and runs Chromium. */
import { join } from "node:path"
import { type AtEnd, run, start } from "./Processes.ts"
import * as Projects from "./Projects.ts"

/** A browser: its executable, and what it needs. */
export interface Browser {
  readonly file: string
  readonly flags: ReadonlyArray<string>
  readonly env: NodeJS.ProcessEnv
}

/** The browser that CHROMIUM names, the one of the registry or the machine's own, if it starts. */
export const find = async (folder: string): Promise<Browser | undefined> => {
  const { CHROMIUM } = process.env
  const isPacked = process.platform === "linux" && process.arch === "x64"
  const browser =
    CHROMIUM === undefined && isPacked ? await unpack(folder) : installed(CHROMIUM ?? "chromium")
  const { env, file, flags } = browser
  const starts = run(file, [...flags, "--version"], { cwd: folder, env })
  return starts.then(
    () => browser,
    () => undefined
  )
}

const installed = (file: string): Browser => ({
  file,
  flags: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  env: process.env
})

/** The browser of the registry, unpacked into this folder. */
const unpack = async (folder: string): Promise<Browser> => {
  const script = `import("@sparticuz/chromium").then(async ({ default: { args, executablePath } }) =>
    console.log(JSON.stringify({ file: await executablePath(), flags: args })))`
  // It unpacks the system libraries that it needs on AWS Lambda only; most machines have none of them.
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" }
  const unpacked = await run(process.execPath, ["-e", script], { cwd: Projects.app, env })
  return {
    ...JSON.parse(unpacked),
    env: {
      ...process.env,
      HOME: folder,
      FONTCONFIG_PATH: join(folder, "fonts"),
      LD_LIBRARY_PATH: join(folder, "al2023/lib")
    }
  }
}

/** Opens an address in the browser until the end. Rejects once the browser has ended. */
export const open = ({ env, file, flags }: Browser, url: string, folder: string, atEnd: AtEnd) =>
  new Promise<never>((_, reject) => {
    const words = [...flags, `--user-data-dir=${join(folder, "browser")}`, url]
    const child = start(file, words, { cwd: folder, env }, atEnd)
    let output = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
    child.stdout.resume()
    child.once("error", reject)
    child.once("close", () => reject(new Error(`the browser ended: ${output}`)))
  })
