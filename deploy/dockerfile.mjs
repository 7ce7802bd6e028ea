// Reads a Dockerfile and a .dockerignore, as far as this repository uses them.

/** The instructions of a Dockerfile. */
export const parse = (text) =>
  text
    .replace(/^\s*#.*\n/gm, "")
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name, ...words] = line.trim().split(/\s+/)
      return { name, words, rest: line.trim().slice(name.length).trim() }
    })

/** Whether a .dockerignore leaves out a path. It knows no exceptions. */
export const isIgnored = (text) => {
  const patterns = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  const expressions = patterns.map((pattern) => {
    const source = pattern
      .replaceAll(".", "\\.")
      .replaceAll("*", "[^/]*")
      .replaceAll("[^/]*[^/]*/", "(?:.+/)?")
    return new RegExp(`^${source}(?:/|$)`)
  })
  return (path) => expressions.some((expression) => expression.test(path))
}
