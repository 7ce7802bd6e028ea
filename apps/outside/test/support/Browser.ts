/** Finds and runs Chromium. */
import { join } from "node:path"
import { type AtEnd, run, start } from "./Processes.ts"
import * as Projects from "./Projects.ts"

/** A browser: its executable, and the environment that it needs. */
export interface Browser {
  readonly file: string
  readonly env: NodeJS.ProcessEnv
}

/** The browser that CHROMIUM names, or the one of the registry, which is unpacked into this folder. */
export const find = async (folder: string): Promise<Browser | undefined> => {
  const { CHROMIUM } = process.env
  if (CHROMIUM) return { file: CHROMIUM, env: process.env }
  if (process.platform !== "linux" || process.arch !== "x64") return undefined
  const unpack =
    'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath()).then(console.log)'
  // It unpacks the system libraries that it needs on AWS Lambda only; most machines have none of them.
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" }
  const file = await run(process.execPath, ["-e", unpack], { cwd: Projects.app, env })
  return {
    file: file.trim(),
    env: {
      ...process.env,
      HOME: folder,
      FONTCONFIG_PATH: join(folder, "fonts"),
      LD_LIBRARY_PATH: join(folder, "al2023/lib")
    }
  }
}

/** Opens an address in the browser until the end. Rejects once the browser has ended. */
export const open = ({ env, file }: Browser, url: string, folder: string, atEnd: AtEnd) =>
  new Promise<never>((_, reject) => {
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
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
