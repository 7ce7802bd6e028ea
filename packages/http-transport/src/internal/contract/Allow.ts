/** The header `Allow`. */

/** The methods of a path of which these are declared. */
export const allowOf = (declared: ReadonlyArray<string>): string => {
  const isThere = (method: string) => declared.includes(method === "HEAD" ? "GET" : method)
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].filter(isThere)
  return [...methods, "OPTIONS"].join(", ")
}
