/** The READMEs of the packages: what they install, and their examples. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { packages } from "./Packages.ts"

/** A README. */
export interface Readme {
  /** The name of its project, outside the workspace. */
  readonly project: string
  /** What its `npm install` lines name, with the versions that they ask for. */
  readonly dependencies: Readonly<Record<string, string>>
  readonly examples: ReadonlyArray<string>
}

const readmeOf = (name: string, folder: string): Readme => {
  const text = readFileSync(join(folder, "README.md"), "utf8")
  const words = [...text.matchAll(/^npm install (.+)$/gm)].flatMap(([, line = ""]) =>
    line.split(" ").filter((word) => !word.startsWith("--"))
  )
  return {
    project: `readme-${name.slice("@petstore/".length)}`,
    dependencies: Object.fromEntries(
      words.map((word) => {
        const [, name = "", version = "*"] = /^(@?[^@]+)(?:@(.+))?$/.exec(word) ?? []
        return [name, version]
      })
    ),
    examples: [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code)
  }
}

/** The name of the file that an example is, if others import it. */
export const fileOf = (code: string): string | undefined => /^\/\/ (\w+\.ts)$/m.exec(code)?.[1]

/** The README of every package. */
export const readmes = packages.map(({ folder, name }) => readmeOf(name, folder))
