/** Finds and runs Chromium. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Browser, chromium } from "playwright-core"
import { type AtEnd, run } from "./Processes.ts"
import { app } from "./Workspace.ts"

// In one process: some machines do not let it start others.
const args = [
  ...["--headless", "--no-sandbox", "--single-process", "--no-zygote"],
  ...["--disable-gpu", "--disable-dev-shm-usage"]
]

/** The browser that CHROMIUM names, or the one of the registry, if it has one for this platform. */
export const find = async (folder: string) => {
  const { CHROMIUM } = process.env
  if (CHROMIUM) return { file: CHROMIUM, env: process.env }
  return process.platform === "linux" && process.arch === "x64" ? unpack(folder) : undefined
}

/** The browser of the registry, unpacked into this folder. */
const unpack = async (folder: string) => {
  const script =
    'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath()).then(console.log)'
  // It unpacks the system libraries that it needs on AWS Lambda only; most machines have none of them.
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" }
  const file = await run(process.execPath, ["-e", script], { cwd: app, env })
  // It searches for its fonts in /tmp, wherever they were unpacked; without any, the browser ends.
  const fonts = join(folder, "fonts/fonts.conf")
  writeFileSync(fonts, readFileSync(fonts, "utf8").replaceAll("/tmp/", `${folder}/`))
  const settings = {
    HOME: folder,
    FONTCONFIG_PATH: join(folder, "fonts"),
    LD_LIBRARY_PATH: join(folder, "al2023/lib")
  }
  return { file: file.trim(), env: { ...process.env, ...settings } }
}

/** Starts a browser until the end. In one process, it ends with its first page, so each page needs a browser. */
export const start = async (
  { env, file: executablePath }: NonNullable<Awaited<ReturnType<typeof find>>>,
  atEnd: AtEnd
): Promise<Browser> => {
  const browser = await chromium.launch({ executablePath, args, env: { ...env } })
  atEnd(() => browser.close())
  return browser
}
