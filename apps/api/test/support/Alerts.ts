/** The alert rules of docs/alerts.yml. */
import { Schema } from "effect"
import { parse } from "yaml"
import * as Markdown from "./Markdown.ts"

/** The path of the rules in the repository. */
export const path = "docs/alerts.yml"

const Rule = Schema.Struct({
  alert: Schema.String.pipe(Schema.pattern(/^PetStore[A-Z]\w+$/)),
  expr: Schema.NonEmptyString,
  for: Schema.String.pipe(Schema.pattern(/^\d+[smh]$/)),
  labels: Schema.Struct({ severity: Schema.Literal("critical", "warning") }),
  annotations: Schema.Struct({ summary: Schema.NonEmptyString, runbook: Schema.NonEmptyString })
})

const Rules = Schema.Struct({
  groups: Schema.Tuple(Schema.Struct({ name: Schema.String, rules: Schema.Array(Rule) }))
})

/** All of them. Throws if one lacks something or has something unknown. */
export const rules = (): ReadonlyArray<typeof Rule.Type> => {
  const decode = Schema.decodeUnknownSync(Rules, { onExcessProperty: "error" })
  return decode(parse(Markdown.page(path).text)).groups[0].rules
}
