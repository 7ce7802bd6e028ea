/** Linters of OpenAPI documents. */
import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core"
import rulesets from "@stoplight/spectral-rulesets"

/** What Spectral finds by its recommended rules. */
export const lintWithSpectral = (subject: Record<string, unknown>) => {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, "recommended"]] })
  return linter.run(subject)
}

/** What Redocly finds by its recommended rules. */
export const lintWithRedocly = async (subject: object) =>
  lintFromString({
    source: JSON.stringify(subject),
    config: await createConfig({ extends: ["recommended"] }),
    absoluteRef: "openapi.json"
  })
