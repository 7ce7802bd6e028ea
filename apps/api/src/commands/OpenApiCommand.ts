/** `petstore openapi` */
import * as OpenApiDocument from "@petstore/http-contract/OpenApiDocument"
import * as Effect from "effect/Effect"
import * as AppConfig from "../AppConfig.ts"
import { fromConfig } from "../CommandFailed.ts"
import * as Entry from "../cli/Entry.ts"
import * as Terminal from "../cli/Terminal.ts"
import { servers } from "../OpenApiServers.ts"

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
      Effect.mapError(fromConfig),
      Effect.flatMap((addresses) =>
        Terminal.print(
          JSON.stringify(OpenApiDocument.make({ servers: servers(addresses) }), null, 2)
        )
      )
    )
)
