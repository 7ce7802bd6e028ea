/** `petstore serve` */
import * as Command from "../cli/Command.ts"
import * as Flag from "../cli/Flag.ts"
import * as Serving from "../Serving.ts"
import { database } from "./CommonFlags.ts"

const host = Flag.variable("--host ADDRESS", "the address to listen on", "HOST")
const port = Flag.variable("--port NUMBER", "the port to listen on", "PORT")
const workers = Flag.variable(
  "--workers NUMBER",
  "the number of processes that serve, or auto for one per core",
  "PETSTORE_WORKERS"
)
const logFormat = Flag.variable("--log-format pretty|json|logfmt", "the log format", "LOG_FORMAT")

/** The options of a server. */
export const flags = { host, port, database, workers, logFormat }

/** Serves until it is stopped. */
export const command = Command.make(
  {
    name: "serve",
    about: "start the server (the default command)",
    notes: [
      "All settings are environment variables: petstore config prints them.",
      "On SIGTERM or Ctrl-C it finishes the requests in flight, and exits with 0."
    ],
    examples: ["petstore serve", "petstore serve --port 8080 --database sqlite:/var/lib/pets.db"],
    flags
  },
  () => Serving.serve
)
