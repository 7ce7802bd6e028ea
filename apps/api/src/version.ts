/** The version of the program, which the build defines. */
declare const PETSTORE_VERSION: string

export const version: string = PETSTORE_VERSION
