/** The API that the hosts serve. */
export { at } from "adoptions/Adoptions"
