/** Lists of what callers accept, with qualities: `gzip, br;q=0.5`. */

/** The quality of each name, which is in lower case: 1 if it has none, 0 if it is not a number. */
export const parse = (header: string): ReadonlyMap<string, number> =>
  new Map(
    // A long one counts as absent: to read it would take long.
    (header.length > maxLength ? "" : header)
      .toLowerCase()
      .split(",")
      .map((part) => {
        const [name = "", ...parameters] = part.split(";").map((word) => word.trim())
        const quality = parameters.find((parameter) => parameter.startsWith("q="))
        return [name, Number(quality?.slice("q=".length) ?? 1) || 0]
      })
  )

const maxLength = 1000
