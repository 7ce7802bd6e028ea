/** Single requests, for everything that is not load. */
import { Agent, request as httpRequest } from "node:http"
import { apiKey } from "./Servers.ts"
import type { Call } from "./Works.ts"

export interface Answer {
  readonly status: number
  readonly link: string | undefined
  readonly body: unknown
}

const agent = new Agent({ keepAlive: true })

/** Sends one call, with the key unless another is given, and reads the JSON that comes back. */
export const request = (origin: string, call: Call, key = apiKey): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(call.body !== "" && {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(call.body)
      })
    }
    const sent = httpRequest(origin + call.path, { agent, method: call.method, headers }, (got) => {
      const chunks: Array<Buffer> = []
      got.on("data", (chunk: Buffer) => chunks.push(chunk))
      got.on("error", reject)
      got.on("end", () => {
        const { link } = got.headers
        try {
          const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
          resolve({
            status: got.statusCode ?? 0,
            link: Array.isArray(link) ? link.join(", ") : link,
            body
          })
        } catch (error) {
          reject(error)
        }
      })
    })
    sent.setTimeout(10_000, () => sent.destroy(new Error("no answer within 10 s")))
    sent.on("error", reject)
    sent.end(call.body)
  })

/** Where the next page is, if there is one. */
export const nextPath = ({ link }: Answer): string | undefined =>
  /<([^>]+)>; *rel="next"/.exec(link ?? "")?.[1]
