/** `petstore serve` */
import * as App from "../App.ts"
import * as Entry from "./Entry.ts"
import * as Flags from "./Flags.ts"

/** Serves until it is stopped. */
export const entry = Entry.command(
  "serve",
  {
    about: "serve the catalogue over HTTP; this is what petstore does without a command",
    examples: ["petstore serve", "petstore serve --port 8080 --database sqlite:/var/lib/pets.db"]
  },
  {
    flags: {
      host: Flags.host,
      port: Flags.port,
      database: Flags.database,
      logFormat: Flags.logFormat
    },
    args: {}
  },
  ({ database, host, logFormat, port }) =>
    Flags.withVariables({
      HOST: host,
      PORT: port,
      DATABASE_URL: database,
      LOG_FORMAT: logFormat
    })(App.serve)
)
