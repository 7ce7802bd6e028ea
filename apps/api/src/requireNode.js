// Ends the process if this Node is too old: its own error would be about a module that it cannot load. This is JavaScript
// that any Node runs, since the scripts of the workspace import it before there is a bundle.

/** As in `engines` of package.json. */
const needed = "20.19"

const [major, minor] = needed.split(".").map(Number)
const [runningMajor, runningMinor] = process.versions.node.split(".").map(Number)
if (runningMajor < major || (runningMajor === major && runningMinor < minor)) {
  process.stderr.write(`the Pet Store needs Node ${needed} or newer; this is ${process.version}\n`)
  process.exit(1)
}
