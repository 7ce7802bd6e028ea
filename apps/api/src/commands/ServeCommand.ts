/** `petstore serve` */
import * as App from "../App.ts"
import * as Entry from "../cli/Entry.ts"
import * as Flag from "../cli/Flag.ts"
import { database } from "./CommonFlags.ts"

const host = Flag.variable("HOST", {
  name: "host",
  value: "ADDRESS",
  about: "the address to listen on"
})
const port = Flag.variable("PORT", {
  name: "port",
  value: "NUMBER",
  about: "the port to listen on"
})
const logFormat = Flag.variable("LOG_FORMAT", {
  name: "log-format",
  value: "pretty|json|logfmt",
  about: "the log format"
})

/** Serves until it is stopped. */
export const entry = Entry.command(
  {
    name: "serve",
    about: "start the server (the default command)",
    examples: ["petstore serve", "petstore serve --port 8080 --database sqlite:/var/lib/pets.db"],
    flags: { host, port, database, logFormat }
  },
  () => App.serve
)
