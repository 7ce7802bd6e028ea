/** `petstore openapi` */
import * as OpenApiDocument from "@petstore/http-contract/OpenApiDocument"
import * as Effect from "effect/Effect"
import * as AppConfig from "../AppConfig.ts"
import * as Failed from "../Failed.ts"
import { servers } from "../Servers.ts"
import * as Entry from "./Entry.ts"
import * as Terminal from "./Terminal.ts"

/** Prints the document that a server with this environment would serve. */
export const entry = Entry.command(
  "openapi",
  {
    about: "print the OpenAPI document",
    examples: ["petstore openapi > openapi.json"]
  },
  { flags: {}, args: {} },
  () =>
    AppConfig.addresses.pipe(
      Effect.mapError(Failed.fromConfig),
      Effect.flatMap((addresses) =>
        Terminal.print(
          JSON.stringify(OpenApiDocument.make({ servers: servers(addresses) }), null, 2)
        )
      )
    )
)
