// Stryker's list of what it leaves as it is: texts of the documentation, which no behaviour depends on.
const documented = new Set(["description", "title", "identifier", "examples"])
const shouldIgnore = (path) =>
  path.isObjectProperty() && documented.has(path.node.key.name) ? "documentation" : undefined

export const strykerPlugins = [{ kind: "Ignore", name: "documentation", value: { shouldIgnore } }]
