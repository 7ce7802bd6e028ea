/** Finds and runs Chromium. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { chromium, type Browser as Driver } from "playwright-core"
import { type AtEnd, run, start } from "./Processes.ts"
import * as Projects from "./Projects.ts"

/** A browser: its executable, and the environment that it needs. */
export interface Browser {
  readonly file: string
  readonly env: NodeJS.ProcessEnv
}

// In one process: some machines do not let it start others.
const flags = [
  ...["--headless", "--no-sandbox", "--single-process", "--no-zygote"],
  ...["--disable-gpu", "--disable-dev-shm-usage"]
]

/** The browser that CHROMIUM names, or the one of the registry; where it has none, the machine's own, if there is one. */
export const find = async (folder: string): Promise<Browser | undefined> => {
  const { CHROMIUM } = process.env
  if (CHROMIUM) return { file: CHROMIUM, env: process.env }
  if (process.platform === "linux" && process.arch === "x64") return unpack(folder)
  const installed = { file: "chromium", env: process.env }
  return run(installed.file, ["--version"], { cwd: folder }).then(
    () => installed,
    () => undefined
  )
}

/** The browser of the registry, unpacked into this folder. */
const unpack = async (folder: string): Promise<Browser> => {
  const script =
    'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath()).then(console.log)'
  // It unpacks the system libraries that it needs on AWS Lambda only; most machines have none of them.
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" }
  const file = await run(process.execPath, ["-e", script], { cwd: Projects.app, env })
  // It searches for its fonts in /tmp, wherever they were unpacked; without any, the browser ends.
  const fonts = join(folder, "fonts/fonts.conf")
  writeFileSync(fonts, readFileSync(fonts, "utf8").replaceAll("/tmp/", `${folder}/`))
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

/**
 * Starts the browser, driven by a test until the end. In one process, it ends with its first page, so each page needs a
 * browser.
 */
export const drive = async ({ env, file }: Browser, atEnd: AtEnd): Promise<Driver> => {
  const driver = await chromium.launch({ executablePath: file, args: flags, env: { ...env } })
  atEnd(() => driver.close())
  return driver
}

/** Opens an address in the browser until the end. Rejects once the browser has ended. */
export const open = ({ env, file }: Browser, url: string, folder: string, atEnd: AtEnd) =>
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
