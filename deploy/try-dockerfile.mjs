#!/usr/bin/env node
// Runs every step of the Dockerfile without Docker, in roots made with debootstrap, and then the program as a container
// would: not as root, on a read-only root file system, as process 1, with no network but its own.
//
//   sudo deploy/try-dockerfile.mjs [FOLDER]
//
// It needs Debian with debootstrap, iproute2 and npm. The roots stay in FOLDER, so that a second run is faster.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { argv, stdout } from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { isIgnored, parse } from "./dockerfile.mjs"
import { inRoot, makeBase, sizeOf } from "./roots.mjs"

const repository = fileURLToPath(new URL("..", import.meta.url))
const folder = resolve(argv[2] ?? "/tmp/try-dockerfile")
const say = (text) => stdout.write(`${text}\n`)

const readText = (name) => readFileSync(join(repository, name), "utf8")
const ignored = isIgnored(readText(".dockerignore"))

/** Copies files of the repository, or of another stage, into a root. */
const copy = (stage, words, stages) => {
  const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length)
  const [source, target] = words.filter((word) => !word.startsWith("--"))
  const origin = from === undefined ? repository : stages.get(from).root
  const filter = (path) => from !== undefined || !ignored(relative(repository, path))
  const path = join(origin, source)
  const place = join(stage.root, resolve(stage.workdir, target))
  const isFile = from === undefined && source !== "."
  mkdirSync(place, { recursive: true })
  const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, filter }
  cpSync(path, isFile ? join(place, source) : place, options)
}

const build = () => {
  const stages = new Map()
  let stage
  for (const { name, rest, words } of parse(readText("Dockerfile"))) {
    say(`▶ ${name} ${rest}`)
    if (name === "FROM") {
      const [image, , title = "final"] = words
      const root = join(folder, title)
      rmSync(root, { recursive: true, force: true })
      execFileSync("cp", ["-a", makeBase(folder, image), root])
      stage = { root, workdir: "/", env: {}, user: "0:0" }
      stages.set(title, stage)
    } else if (name === "WORKDIR") {
      stage.workdir = rest
      mkdirSync(join(stage.root, rest), { recursive: true })
    } else if (name === "ENV") {
      for (const [, key, value] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[key] = value
    } else if (name === "COPY") copy(stage, words, stages)
    else if (name === "RUN") {
      const [, cache] = /--mount=type=cache,target=(\S+)/.exec(rest) ?? []
      const command = rest.replace(/--mount=\S+\s+/g, "")
      const mounts = cache === undefined ? {} : { [cache]: join(folder, "cache") }
      inRoot(stage, ["sh", "-c", command], { mounts })
    } else if (name === "USER") stage.user = rest
    else if (name === "ENTRYPOINT" || name === "CMD") stage[name] = JSON.parse(rest)
    else if (name === "HEALTHCHECK") stage.HEALTHCHECK = JSON.parse(rest.slice(rest.indexOf("[")))
    else if (!["EXPOSE", "LABEL", "STOPSIGNAL", "VOLUME"].includes(name))
      throw new Error(`cannot run ${name}`)
  }
  return stage
}

/** Runs a command in the namespaces of a process, as `docker exec` does. */
const execIn = (pid, { env, user, workdir }, command) => {
  const [uid, gid] = user.split(":")
  const words = ["--target", pid, "--mount", "--pid", "--net", `--root=/proc/${pid}/root`]
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const place = [`--setuid=${uid}`, `--setgid=${gid}`, "env", "-i", `--chdir=${workdir}`]
  const output = execFileSync("nsenter", [...words, ...place, ...settings, ...command], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"]
  })
  return output.trim()
}

const failing = (run) => {
  try {
    run()
  } catch (error) {
    return String(error.stderr).trim()
  }
  throw new Error("it should have failed")
}

const until = async (check, what) => {
  for (let left = 200; ; left--) {
    try {
      return check()
    } catch (error) {
      if (left === 0) throw new Error(`${what}: ${error.message}`)
      await sleep(100)
    }
  }
}

const tryOut = async (stage) => {
  const data = join(folder, "data")
  rmSync(data, { recursive: true, force: true })
  // A new volume has the owner and the mode of the folder in the image.
  execFileSync("cp", ["-a", join(stage.root, "data"), data])
  const { args, env } = inRoot(stage, [...stage.ENTRYPOINT, ...stage.CMD], {
    isContainer: true,
    mounts: { "/data": data }
  })
  const container = spawn(args[0], args.slice(1), { stdio: "inherit" })
  const ended = once(container, "exit")
  const children = `/proc/${container.pid}/task/${container.pid}/children`
  const pid = () => {
    const [child] = readFileSync(children, "utf8").trim().split(" ")
    if (!child) throw new Error("it did not start")
    return child
  }
  try {
    const exec = (...command) => execIn(pid(), { ...stage, env }, command)
    await until(() => exec(...stage.HEALTHCHECK), "the health check")
    say("healthy")
    env.PETSTORE_API_KEY = exec("petstore", "keys", "create", "--name", "try")
    say(exec("petstore", "pets", "add", "--name", "Rex", "--category", "1"))
    say(exec("petstore", "pets", "list"))
    say(exec("petstore", "doctor"))
    say(
      exec("sh", "-c", "id -u; grep -E '^(NoNewPrivs|CapEff|CapBnd)' /proc/1/status; ls -la /data")
    )
    say(failing(() => exec("touch", "/app/x")))
    say(failing(() => exec("touch", "/usr/x")))
    const start = Date.now()
    process.kill(Number(pid()), "SIGTERM")
    const [code] = await ended
    say(`SIGTERM: exit code ${code} after ${Date.now() - start} ms`)
    if (code !== 0) throw new Error(`exit code ${code}`)
  } finally {
    if (container.exitCode === null) process.kill(Number(pid()), "SIGKILL")
  }
}

mkdirSync(folder, { recursive: true })
const final = build()
say(`the program: ${sizeOf(join(final.root, "app"))}; with its base: ${sizeOf(final.root)}`)
if (!existsSync(join(final.root, "app/LICENSE"))) throw new Error("the license is missing")
await tryOut(final)
