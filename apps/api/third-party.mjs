// The notices of the packages that the bundle contains: their licenses ask for them.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The folders of the packages that these files belong to; files of the workspace belong to none. */
const foldersOf = (files) =>
  new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))

/** The license of the package in this folder: a file of its own, or the end of its README. */
const licenseOf = (folder) => {
  const textOf = (pattern) => {
    const file = readdirSync(folder).find((name) => pattern.test(name))
    return file === undefined ? "" : readFileSync(join(folder, file), "utf8")
  }
  const text = textOf(/^licen[cs]e(?:\.\w+)?$/i) || textOf(/^readme/i).split(/^#+ licen[cs]e$/im)[1]
  if (!text) throw new Error(`${folder} has no license`)
  return text.trim()
}

const noticeOf = (folder) => {
  const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return `${name} ${version} (${license})\n\n${licenseOf(folder)}\n`
}

/** The notices of the packages that these files belong to, as one text. */
export const notices = (files) =>
  [
    "This program contains the following packages.\n",
    ...[...new Set([...foldersOf(files)].map(noticeOf))].sort()
  ].join(`\n${"-".repeat(80)}\n\n`)
