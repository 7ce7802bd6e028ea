// Keeps an object for a request, for ever: at most twenty in a second, so that a fast machine has enough memory.
import { Server } from "node:http"

const { emit } = Server.prototype
const kept = []
let last = 0
Server.prototype.emit = function (name, ...rest) {
  const now = performance.now()
  if (name === "request" && now > last + 50) {
    kept.push(Buffer.alloc(1_048_576, 1))
    last = now
  }
  return emit.call(this, name, ...rest)
}
