/** The servers that the OpenAPI document names. */
import type { Server } from "@petstore/http-contract/OpenApiDocument"
import * as PetStoreServer from "@petstore/http-server/PetStoreServer"
import * as Option from "effect/Option"
import type { AppConfig } from "./AppConfig.ts"

/** Those of the environment or, when it names none, whichever server is asked. */
export const servers = ({ baseUrl, stagingUrl }: AppConfig["addresses"]): ReadonlyArray<Server> => {
  const named = [
    ...Option.toArray(baseUrl).map((url) => ({ url, description: "Production" })),
    ...Option.toArray(stagingUrl).map((url) => ({ url, description: "Staging" }))
  ]
  return named.length > 0 ? named : PetStoreServer.defaults.servers
}
