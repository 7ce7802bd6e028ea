/** `petstore serve` */
import * as App from "../App.ts"
import * as Entry from "../cli/Entry.ts"
import * as CommonFlags from "./CommonFlags.ts"

/** Serves until it is stopped. */
export const entry = Entry.command(
  "serve",
  {
    about: "start the server (the default command)",
    examples: ["petstore serve", "petstore serve --port 8080 --database sqlite:/var/lib/pets.db"]
  },
  {
    flags: {
      host: CommonFlags.host,
      port: CommonFlags.port,
      database: CommonFlags.database,
      logFormat: CommonFlags.logFormat
    },
    args: {}
  },
  ({ database, host, logFormat, port }) =>
    CommonFlags.withVariables({
      HOST: host,
      PORT: port,
      DATABASE_URL: database,
      LOG_FORMAT: logFormat
    })(App.serve)
)
