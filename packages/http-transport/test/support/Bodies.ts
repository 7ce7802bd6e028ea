/** Bodies of any size, whole or in chunks. */
import type { Request } from "./Request.ts"

/** A thing whose JSON has this many bytes. */
export const sized = (bytes: number) => `{"name":"${"n".repeat(bytes - 21)}","count":1}`
/** Its fields, as they come back. */
export const fields = (bytes: number) => sized(bytes).slice(1, -1)
/** The body in chunks of this many bytes. */
export const chunked = (body: string, size: number) => {
  const parts = body.match(new RegExp(`.{1,${size}}`, "g")) ?? []
  return `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`
}
/** The head of a request whose body comes in chunks. */
export const inChunks: Request = {
  method: "POST",
  target: "/v1/things",
  headers: ["Content-Type: application/json", "Transfer-Encoding: chunked"]
}
