// Runs Effect's own diagnostics over packages and apps, and fails on any finding. They need the JavaScript API
// that TypeScript 7 lacks, so they run on the TypeScript 5 that pnpm-workspace.yaml gives them. All files are in
// one program, so that types are computed once: the command line of the diagnostics opens each package's project.
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

const require = createRequire(import.meta.url)
const plugin = "@effect/language-service/index.js"
const diagnostics = require(plugin)
const { definitions } = require("@effect/language-service/schema.json")
const ts = createRequire(require.resolve(plugin))("typescript")

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const fail = (found) => {
  const host = { ...ts.sys, getCanonicalFileName: (name) => name, getNewLine: () => "\n" }
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext(found, host))
  process.exit(1)
}

const { errors, fileNames, options } = ts.getParsedCommandLineOfConfigFile(
  pathOf("../tsconfig.json"),
  {},
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (error) => fail([error]) }
)
if (errors.length > 0) fail(errors)
const program = ts.createProgram(fileNames, options)
const missing = program.getOptionsDiagnostics()
if (missing.length > 0) fail(missing)
const rules = definitions.effectLanguageServicePluginDiagnosticSeverityDefinition.properties
const suggestions = Object.keys(rules).filter((rule) => rules[rule].default === "suggestion")
const { getSemanticDiagnostics } = diagnostics({ typescript: ts }).create({
  // Types are checked by TypeScript 7.
  languageService: { getProgram: () => program, getSemanticDiagnostics: () => [] },
  project: { log: () => {} },
  // Suggestions are for editors, and take a quarter of the time.
  config: { diagnosticSeverity: Object.fromEntries(suggestions.map((rule) => [rule, "off"])) }
})
const found = fileNames.flatMap((name) => getSemanticDiagnostics(name))
if (found.length > 0) fail(found)
process.stdout.write(`Effect's diagnostics found nothing in ${fileNames.length} files\n`)
