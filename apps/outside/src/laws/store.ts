/** The store on which the laws are checked. */
export { layer } from "@petstore/store-memory/MemoryPetStore"
