/**
 * Does what systemd does for a socket unit: holds a listening socket without accepting connections, and runs the program
 * on it this many times at once; the first runs again after each SIGHUP. Prints the address first, and how each run ended.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { argv, env, execPath, ppid, stdout } from "node:process"

const [, file, main, count, holds] = argv
/** The descriptor of the socket, as for systemd's services. */
const fd = 3

if (holds === undefined) {
  // Node accepts connections on its own sockets, so another process holds this one, as a mere descriptor.
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  stdout.write(`socket on http://127.0.0.1:${server.address().port} \n`)
  const stdio = ["ignore", "inherit", "inherit", server._handle.fd]
  const holder = spawn(execPath, [file, main, count, "holds"], { stdio })
  server.close()
  process.on("SIGHUP", () => holder.kill("SIGHUP"))
  await once(holder, "exit")
} else {
  // A test that fails kills the parent only.
  setInterval(() => process.ppid === ppid || process.exit(), 100)
  const runs = async (isFirst) => {
    const program = spawn("sh", ["-c", 'LISTEN_PID=$$ exec "$0" "$1"', execPath, main], {
      stdio: ["ignore", "inherit", "inherit", fd],
      env: { ...env, LISTEN_FDS: "1" }
    })
    process.once("exit", () => program.kill("SIGKILL"))
    if (isFirst) process.once("SIGHUP", () => program.kill("SIGTERM"))
    const [code] = await once(program, "exit")
    stdout.write(`ended with ${code}\n`)
    return runs(isFirst)
  }
  for (let nth = 1; nth <= Number(count); nth++) runs(nth === 1)
}
