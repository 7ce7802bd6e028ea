// Removes from `dist` of the current package the output of sources that are gone: the compiler leaves it there.
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"

for (const name of readdirSync("dist", { recursive: true })) {
  const module = /^(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(name)?.[1]
  if (module !== undefined && !existsSync(join("src", `${module}.ts`))) rmSync(join("dist", name))
}
