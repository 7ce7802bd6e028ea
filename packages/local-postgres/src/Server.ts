/** What both sides know about a server. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The role that owns everything. */
export const user = "petstore"
/** Its password, with characters that a URL has to encode. */
export const password = "a password: with / and @"

/** The process of the server with this data folder. Throws if none was started. */
export const pidOf = (data: string): number =>
  Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n", 1)[0])
