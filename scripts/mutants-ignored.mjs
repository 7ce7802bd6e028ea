// Stryker's list of what it leaves as it is: texts of the documentation, which no behaviour depends on, and the names of
// brands and services, which only have to differ.
const documented = new Set(["description", "title", "identifier", "examples"])
const shouldIgnore = (path) => {
  if (path.isObjectProperty() && documented.has(path.node.key.name)) return "documentation"
  const callee = path.isCallExpression() ? path.get("callee") : undefined
  const isName = callee?.matchesPattern("Schema.brand") || callee?.matchesPattern("Context.Tag")
  return isName ? "a name" : undefined
}

export const strykerPlugins = [{ kind: "Ignore", name: "documentation", value: { shouldIgnore } }]
