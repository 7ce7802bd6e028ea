/** Calls the service that the arguments name. */
import { calls } from "./calls.ts"

const [, , baseUrl = "", apiKey = "", name = ""] = process.argv
process.stdout.write(await calls(baseUrl, apiKey, name))
