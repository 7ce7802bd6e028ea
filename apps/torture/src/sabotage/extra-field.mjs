// Adds a field to every hundredth error that has a body.
import { ServerResponse } from "node:http"

const { end, writeHead } = ServerResponse.prototype
let answers = 0
const extra = '{"internal":true,'
ServerResponse.prototype.writeHead = function (status, headers) {
  const at = headers.indexOf("Content-Length")
  this.isBroken = at !== -1 && this._hasBody && status >= 400 && ++answers % 100 === 0
  if (this.isBroken) headers[at + 1] = String(Number(headers[at + 1]) + extra.length - 1)
  return writeHead.call(this, status, headers)
}
ServerResponse.prototype.end = function (content, ...others) {
  const body = this.isBroken && content.length > 0 ? extra + content.slice(1) : content
  return end.call(this, body, ...others)
}
