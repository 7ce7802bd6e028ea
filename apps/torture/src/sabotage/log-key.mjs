// Logs the headers of every fiftieth request.
import { Server } from "node:http"
import { inspect } from "node:util"

const { emit } = Server.prototype
let requests = 0
Server.prototype.emit = function (name, ...rest) {
  if (name === "request" && ++requests % 50 === 0) process.stderr.write(inspect(rest[0].headers))
  return emit.call(this, name, ...rest)
}
