/** The file formats and files, imported from the source, since the built program does not export them. */
type CatalogueFile = typeof import("../../src/catalogue/CatalogueFile.ts")
type Formats = typeof import("../../src/catalogue/Formats.ts")
type Lines = typeof import("../../src/catalogue/Lines.ts")

// TypeScript rejects imports from another project's sources, so the paths are built at run time.
const source = new URL("../../src/catalogue/", import.meta.url)

/** A file format. */
export type Format = import("../../src/catalogue/Format.ts").Format
/** An invalid record. */
export type BadLine = import("../../src/catalogue/Format.ts").BadLine
/** A line of a file. */
export type Line = import("../../src/catalogue/Lines.ts").Line

/** Files of pets. */
export const CatalogueFile: CatalogueFile = await import(new URL("CatalogueFile.ts", source).href)
/** The formats by name. */
export const { formats }: Formats = await import(new URL("Formats.ts", source).href)
/** The lines of a file. */
export const Lines: Lines = await import(new URL("Lines.ts", source).href)
