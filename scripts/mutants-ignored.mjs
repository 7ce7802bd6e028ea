// What Stryker leaves out, since no behaviour depends on it: texts of the documentation, `strict`, which is for the
// compiler, names of brands and services, which only have to differ; and changes with which a module does not load.
const documented = new Set(["description", "title", "identifier", "examples", "strict"])
const shouldIgnore = (path) => {
  if (path.isObjectProperty() && documented.has(path.node.key.name)) return "documentation"
  const callee = path.isCallExpression() ? path.get("callee") : undefined
  const isName = callee?.matchesPattern("Schema.brand") || callee?.matchesPattern("Context.Tag")
  return isName ? "a name" : undefined
}

export const strykerPlugins = [{ kind: "Ignore", name: "documentation", value: { shouldIgnore } }]

/** A plugin of Vitest. Stryker sees no failure in a file that has no tests, since it could not be loaded. */
export const loading = {
  name: "petstore:loading",
  configureVitest: ({ vitest }) => {
    const start = vitest.start.bind(vitest)
    vitest.start = async (files) => {
      const result = await start(files)
      for (const module of result.testModules)
        for (const error of module.errors()) vitest.state.errorsSet.add(new Error(error.message))
      return result
    }
  }
}
