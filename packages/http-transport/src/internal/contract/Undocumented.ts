/** Says which schema of a contract has no form in the OpenAPI document. */
import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApiJsonSchema from "@effect/platform/OpenApiJsonSchema"
import * as Arr from "effect/Array"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"

/** Throws an error that names the endpoint, the part of it and the field. */
export const report = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): void =>
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, payloads, successes }) => {
      const check = (part: string, ast: AST.AST) => {
        try {
          OpenApiJsonSchema.make(Schema.make(ast))
        } catch (cause) {
          const why =
            cause instanceof Error
              ? cause.message
                  .split("\n")
                  .map((line) => line.trim())
                  .join(", ")
              : ""
          throw new Error(`${part} of ${endpoint.name} cannot be documented: ${why}`, { cause })
        }
      }
      const parts = { path: endpoint.pathSchema, query: endpoint.urlParamsSchema }
      for (const [part, schema] of Object.entries({ ...parts, headers: endpoint.headersSchema }))
        for (const { ast } of Arr.fromOption(schema)) check(`the ${part}`, ast)
      for (const { ast } of payloads.values()) check("the payload", ast)
      for (const [status, { ast }] of successes)
        for (const one of Arr.fromOption(ast)) check(`the success ${status}`, one)
    }
  })
