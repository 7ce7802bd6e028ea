/** The `servers` of the OpenAPI document. */
import type { Server } from "@petstore/http-contract/OpenApiDocument"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as Option from "effect/Option"
import type { AppConfig } from "./AppConfig.ts"

/** The servers that the environment names, or the one that serves the document. */
export const servers = ({ baseUrl, stagingUrl }: AppConfig["addresses"]): ReadonlyArray<Server> => {
  const named = [
    ...Option.toArray(baseUrl).map((url) => ({ url, description: "Production" })),
    ...Option.toArray(stagingUrl).map((url) => ({ url, description: "Staging" }))
  ]
  return named.length > 0 ? named : PetStoreServer.defaults.servers
}
