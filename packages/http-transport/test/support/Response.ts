/** A response as it came over the wire, taken apart. */

/** A response. */
export interface Response {
  readonly version: string
  readonly status: number
  /** Every header line in its order and spelling, repeated ones too. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
  /** The statuses of the interim answers that came before. */
  readonly interim: ReadonlyArray<number>
}

/** The first whole response in the bytes and where it ends; nothing while bytes are missing. */
export const parse = (
  bytes: Buffer,
  toHead: boolean
): { readonly response: Response; readonly end: number } | undefined => {
  const interim: Array<number> = []
  for (let start = 0; ; ) {
    const headEnd = bytes.indexOf("\r\n\r\n", start)
    if (headEnd === -1) return undefined
    const { headers, status, version } = parseHead(bytes.toString("latin1", start, headEnd))
    start = headEnd + 4
    if (status < 200) {
      interim.push(status)
      continue
    }
    const end = start + (toHead || [204, 304].includes(status) ? 0 : lengthOf(headers))
    if (bytes.length < end) return undefined
    const body = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start, end))
    return { response: { version, status, headers, body, interim }, end }
  }
}

/** The values of a header, by its name in any letter case. */
export const headersOf = (response: Response, name: string): ReadonlyArray<string> =>
  response.headers.flatMap(([key, value]) =>
    key.toLowerCase() === name.toLowerCase() ? [value] : []
  )

/** The one value of a header; nothing when it is missing or repeated. */
export const headerOf = (response: Response, name: string): string | undefined => {
  const [value, ...more] = headersOf(response, name)
  return more.length === 0 ? value : undefined
}

/** The target of the `Link` with `rel="next"`, if there is one. */
export const nextOf = (response: Response): string | undefined =>
  /^<([^>]*)>; rel="next"$/.exec(headerOf(response, "Link") ?? "")?.[1]

const parseHead = (head: string) => {
  const [first = "", ...lines] = head.split("\r\n")
  const [, version, status] = /^HTTP\/(1\.[01]) ([0-9]{3}) [A-Za-z' -]+$/.exec(first) ?? []
  if (version === undefined) throw new Error(`this is no status line: ${first}`)
  const headers = lines.map((line) => {
    const [, name, value] = /^([A-Za-z-]+): (.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`this is no header: ${line}`)
    return [name, value] as const
  })
  return { version, status: Number(status), headers }
}

/** Every response with content has one Content-Length. */
const lengthOf = (headers: Response["headers"]): number => {
  const lengths = headers.filter(([name]) => name.toLowerCase() === "content-length")
  const [only] = lengths
  if (only === undefined || lengths.length > 1 || !/^[0-9]+$/.test(only[1])) {
    throw new Error(`a response needs one Content-Length: ${JSON.stringify(headers)}`)
  }
  return Number(only[1])
}
