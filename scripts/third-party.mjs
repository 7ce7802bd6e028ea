// The notices of the packages that the bundle contains: their licenses ask for them.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folderOf = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+|^\.\.\/(?:\.\.\/packages\/)?[^/.]+/

/** The packages that these files belong to, those of the workspace included. */
export const packagesOf = (files) => {
  const folders = new Set(files.flatMap((file) => folderOf.exec(file)?.[0] ?? []))
  const packages = [...folders].map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    return { folder, name: manifest.name, version: manifest.version, license: manifest.license }
  })
  return packages.sort((one, other) => (one.folder < other.folder ? -1 : 1))
}

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

const noticeOf = ({ folder, license, name, version }) =>
  `${name} ${version} (${license})\n\n${licenseOf(folder)}\n`

/** The notices of packages that are not ours, as one text. */
export const notices = (packages) =>
  [
    "This program contains the following packages.\n",
    ...packages.filter(({ folder }) => folder.includes("node_modules/")).map(noticeOf)
  ].join(`\n${"-".repeat(80)}\n\n`)
