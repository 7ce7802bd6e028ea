/** Packages as they are published, in memory. */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Attw from "@arethetypeswrong/core"
import { pnpm } from "./Outside.ts"
import { type Manifest, type Package, packages, program } from "./Packages.ts"
import { workspace } from "./Projects.ts"

/** What is published of a package. */
export interface Tarball {
  readonly data: Uint8Array<ArrayBuffer>
  /** The same, as the checker of types reads it. */
  readonly contents: Attw.Package
  readonly manifest: Manifest
  /** Its files by their paths in the package, such as `dist/index.js`. */
  readonly files: ReadonlyMap<string, string>
}

/** Packs all packages and the program, by their names. */
export const pack = async (): Promise<ReadonlyMap<string, Tarball>> => {
  const folder = await mkdtemp(join(tmpdir(), "petstore-tarballs-"))
  try {
    const all = [...packages, program]
    const filters = all.flatMap(({ name }) => ["--filter", name])
    await pnpm(workspace, "--recursive", ...filters, "pack", "--pack-destination", folder)
    return new Map(await Promise.all(all.map((one) => read(folder, one))))
  } finally {
    await rm(folder, { recursive: true })
  }
}

const read = async (folder: string, { manifest, name }: Package) => {
  const file = `${name.slice(1).replace("/", "-")}-${manifest.version}.tgz`
  const data = new Uint8Array(await readFile(join(folder, file)))
  const contents = Attw.createPackageFromTarballData(data)
  const home = `/node_modules/${name}/`
  const files = new Map(
    contents.listFiles().map((path) => [path.slice(home.length), contents.readFile(path)])
  )
  const tarball: Tarball = {
    data,
    contents,
    files,
    manifest: JSON.parse(contents.readFile(`${home}package.json`))
  }
  return [name, tarball] as const
}
