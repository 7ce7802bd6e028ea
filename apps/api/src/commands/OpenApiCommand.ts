/** `petstore openapi` */
import * as OpenApiDocument from "@petstore/http-contract/OpenApiDocument"
import * as Effect from "effect/Effect"
import * as AppConfig from "../AppConfig.ts"
import { fromConfig } from "../CommandFailed.ts"
import * as Command from "../cli/Command.ts"
import * as Terminal from "../cli/Terminal.ts"

/** Prints the document that a server with this environment would serve. */
export const command = Command.make(
  {
    name: "openapi",
    about: "print the OpenAPI document",
    examples: ["petstore openapi > openapi.json"],
    flags: {}
  },
  () =>
    AppConfig.openApiServers.pipe(
      Effect.mapError(fromConfig),
      Effect.map((servers) => JSON.stringify(OpenApiDocument.make({ servers }), null, 2)),
      Effect.flatMap(Terminal.print)
    )
)
