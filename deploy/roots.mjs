// Root file systems in place of the images of Node, and how commands run in them.
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { arch, env as environment } from "node:process"

const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/** How to reach the registry, as the environment says. */
const network = Object.fromEntries(
  Object.entries(environment).filter(([name]) =>
    /_proxy$|^npm_config_registry$|^NODE_EXTRA_CA_CERTS$/i.test(name)
  )
)

const run = (file, args, options) => execFileSync(file, args, { stdio: "inherit", ...options })

/** The size of a folder. */
export const sizeOf = (folder) =>
  execFileSync("du", ["--summarize", "--human-readable", folder], { encoding: "utf8" }).split(
    "\t"
  )[0]

/** A package of the npm registry, unpacked. */
const unpack = (name, target) => {
  mkdirSync(target, { recursive: true })
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--json", name, "--pack-destination", dirname(target)], {
      encoding: "utf8"
    })
  )
  const file = join(dirname(target), filename)
  run("tar", ["--extract", "--strip-components=1", "--file", file, "--directory", target])
  rmSync(file)
}

/** A root in place of an image such as node:24-bookworm-slim. One that is not slim has a compiler, too. */
export const makeBase = (folder, image) => {
  const [, major, suite, slim] = /^node:(\d+)-(\w+)(-slim)?$/.exec(image) ?? []
  const base = join(folder, image.replace(":", "-"))
  if (existsSync(base)) return base
  const root = `${base}.new`
  rmSync(root, { recursive: true, force: true })
  if (slim) {
    run("debootstrap", ["--variant=minbase", suite, root])
    addNode(root, major)
  } else {
    run("cp", ["-a", makeBase(folder, `${image}-slim`), root])
    const stage = { root, workdir: "/", env: { DEBIAN_FRONTEND: "noninteractive" }, user: "0:0" }
    const install = "apt-get install --yes --no-install-recommends g++ make python3"
    inRoot(stage, ["sh", "-c", `apt-get update && ${install}`])
  }
  renameSync(root, base)
  return base
}

/** Node and npm, and what they need to reach the registry. */
const addNode = (root, major) => {
  unpack(`node-linux-${arch}@${major}`, join(root, "usr/local"))
  unpack("npm@11", join(root, "usr/local/lib/node_modules/npm"))
  for (const name of ["npm", "npx"])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, "usr/local/bin", name))
  cpSync("/etc/resolv.conf", join(root, "etc/resolv.conf"))
  const certificates = network.NODE_EXTRA_CA_CERTS
  if (certificates) cpSync(certificates, join(root, certificates))
}

/**
 * Runs a command in a root, in a namespace of its own. As a container it is read-only but for its mounts and /tmp, and has
 * no capabilities; then the command line is returned, not run.
 */
export const inRoot = (
  { env, root, user, workdir },
  command,
  { isContainer, mounts = {} } = {}
) => {
  const steps = [
    `mount --bind ${root} ${root}`,
    ...Object.entries(mounts).map(([target, source]) => {
      mkdirSync(join(root, target), { recursive: true })
      mkdirSync(source, { recursive: true })
      return `mount --bind ${source} ${root}${target}`
    }),
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    ...(isContainer
      ? [
          `mount -t tmpfs tmpfs ${root}/tmp`,
          `mount -o remount,ro,bind ${root}`,
          "ip link set lo up"
        ]
      : [])
  ]
  const [uid, gid] = user.split(":")
  const drop = isContainer ? ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"] : []
  const all = { PATH: path, HOME: "/root", ...(isContainer ? {} : network), ...env }
  const args = [
    ...["unshare", "--mount", "--pid", "--fork", ...(isContainer ? ["--net"] : [])],
    ...["sh", "-ec", `${steps.join("\n")}\nexec chroot ${root} "$@"`, "sh"],
    ...["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", ...drop],
    ...["env", "-i", `--chdir=${workdir}`],
    ...Object.entries(all).map(([name, value]) => `${name}=${value}`),
    ...command
  ]
  if (!isContainer) run(args[0], args.slice(1))
  return { args, env: all }
}
