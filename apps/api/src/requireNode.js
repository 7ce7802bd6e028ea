// Ends the process if this Node is too old, before anything loads the SQLite driver, which would crash it. This is JavaScript
// that any Node runs, since the scripts of the workspace import it before there is a bundle.

/** As in `engines` of package.json. */
const needed = "22.19"

const [major, minor] = needed.split(".").map(Number)
const [runningMajor, runningMinor] = process.versions.node.split(".").map(Number)
if (runningMajor < major || (runningMajor === major && runningMinor < minor)) {
  process.stderr.write(
    `the Pet Store needs Node ${needed} or newer, and this is ${process.version}: install the newest with long-term support\n`
  )
  process.exit(1)
}
