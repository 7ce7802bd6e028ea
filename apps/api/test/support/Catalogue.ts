/** The formats of files, out of the source: the built program shows them only as a whole. */
type Formats = typeof import("../../src/catalogue/FormatChoice.ts")
type Lines = typeof import("../../src/catalogue/Lines.ts")

// The compiler takes no path into another project, so these are put together at run time.
const source = new URL("../../src/catalogue/", import.meta.url)

/** A way to write animals. */
export type Format = import("../../src/catalogue/Format.ts").Format
/** A place that holds no animal, and why. */
export type BadLine = import("../../src/catalogue/Format.ts").BadLine
/** A line of a file. */
export type Line = import("../../src/catalogue/Lines.ts").Line

/** The formats by name. */
export const { formats }: Formats = await import(new URL("FormatChoice.ts", source).href)
/** The lines of a file. */
export const Lines: Lines = await import(new URL("Lines.ts", source).href)
