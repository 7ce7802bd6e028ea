/** `petstore openapi` */
import * as OpenApiDocument from "@petstore/http-contract/OpenApiDocument"
import * as Effect from "effect/Effect"
import * as AppConfig from "../AppConfig.ts"
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
    Effect.flatMap(AppConfig.openApiServers, (servers) =>
      Terminal.print(JSON.stringify(OpenApiDocument.make({ servers }), null, 2))
    )
)
