/** Pets as JSON, with exact integers. */
import type { NewPet, Pet } from "../Pet.ts"
import { fields, int64, newPet } from "./Checks.ts"

/** The JSON text of a pet, or of one to add. */
export const encode = ({
  categoryId,
  id,
  name,
  status
}: NewPet & { readonly id?: bigint }): string => {
  const parts = [
    ...(id === undefined ? [] : [`"id":${id}`]),
    `"name":${JSON.stringify(name)}`,
    `"categoryId":${categoryId}`,
    ...(status === undefined ? [] : [`"status":"${status}"`])
  ]
  return `{${parts}}`
}

/** The pet that a parsed JSON text describes; throws if it is none. */
export const decode = (value: unknown): Pet => {
  const { id } = fields("the answer", value)
  return petOf(int64("id", id), newPet(value))
}

/** The pet with this id. */
export const petOf = (id: bigint, { status, ...pet }: ReturnType<typeof newPet>): Pet => ({
  id,
  ...pet,
  ...(status !== undefined && { status })
})
