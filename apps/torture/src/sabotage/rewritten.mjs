// Changes parts of what the service sends to PostgreSQL. They stay as long as before: a message says how long it is.
import { Socket } from "node:net"

export const rewrite = (parts) => {
  const { write } = Socket.prototype
  Socket.prototype.write = function (data, ...rest) {
    for (const [from, to] of Object.entries(Buffer.isBuffer(data) ? parts : {})) {
      const at = data.indexOf(from)
      if (at >= 0) data.write(to.padEnd(from.length), at)
    }
    return write.call(this, data, ...rest)
  }
}
