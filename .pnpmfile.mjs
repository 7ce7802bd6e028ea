// What published packages have in common, and what they do not need: written when one is packed.
import { createRequire } from "node:module"

const { bugs, homepage, keywords, repository } = createRequire(import.meta.url)("./package.json")

export const hooks = {
  // Node itself: its packages do not say that they are for glibc only.
  readPackage: (manifest) => {
    const [, os, cpu] = /^node-(linux)-(\w+)$/.exec(manifest.name) ?? []
    return os === undefined ? manifest : { ...manifest, os: [os], cpu: [cpu], libc: ["glibc"] }
  },
  beforePacking: ({ devDependencies: _, scripts: __, ...manifest }) => {
    const [, name] = /^@petstore\/(.+)$/.exec(manifest.name) ?? []
    if (name === undefined) return manifest
    const directory = `${name === "api" ? "apps" : "packages"}/${name}`
    return { ...manifest, bugs, homepage, keywords, repository: { ...repository, directory } }
  }
}
