/** The file formats and files, imported from the source, since the built program does not export them. */
type PetFile = typeof import("../../src/petFiles/PetFile.ts")
type Formats = typeof import("../../src/petFiles/Formats.ts")
type Lines = typeof import("../../src/petFiles/Lines.ts")

// TypeScript rejects imports from another project's sources, so the paths are built at run time.
const source = new URL("../../src/petFiles/", import.meta.url)

/** A file format. */
export type Format = import("../../src/petFiles/Format.ts").Format
/** An invalid record. */
export type BadLine = import("../../src/petFiles/Format.ts").BadLine
/** A line of a file. */
export type Line = import("../../src/petFiles/Lines.ts").Line

/** Files of pets. */
export const PetFile: PetFile = await import(new URL("PetFile.ts", source).href)
/** The formats by name. */
export const { formats }: Formats = await import(new URL("Formats.ts", source).href)
/** The lines of a file. */
export const Lines: Lines = await import(new URL("Lines.ts", source).href)
