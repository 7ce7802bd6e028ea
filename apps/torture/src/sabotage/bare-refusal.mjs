// Answers every twentieth malformed request as Node does by itself.
import { Server } from "node:http"

const { emit } = Server.prototype
let refusals = 0
Server.prototype.emit = function (name, ...rest) {
  if (name !== "clientError" || ++refusals % 20 !== 0) return emit.call(this, name, ...rest)
  const [, socket] = rest
  socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
  return true
}
