/** Preloaded into a server: reports every socket that it listens on. */
import { writeSync } from "node:fs"
import { Server } from "node:net"

const { listen } = Server.prototype

Server.prototype.listen = function (...values) {
  writeSync(2, "a socket listens\n")
  return listen.apply(this, values)
}
