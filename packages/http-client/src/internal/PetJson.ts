/** Pets as JSON, with exact integers. */
import type { Pet } from "../Pet.ts"
import { anyStatus, fields, int64, newPet } from "./Checks.ts"

interface Fields extends Omit<Pet, "id" | "status"> {
  readonly status?: string | undefined
}

/** The JSON text of a pet, or of one to add. */
export const encode = ({
  categoryId,
  id,
  name,
  status
}: Fields & { readonly id?: bigint }): string => {
  const parts = [
    ...(id === undefined ? [] : [`"id":${id}`]),
    `"name":${JSON.stringify(name)}`,
    `"categoryId":${categoryId}`,
    ...(status === undefined ? [] : [`"status":${JSON.stringify(status)}`])
  ]
  return `{${parts}}`
}

/** The pet that a parsed JSON text describes; throws if it is none. */
export const decode = (value: unknown): Pet => {
  const { id } = fields("the answer", value)
  return petOf(int64("id", id), newPet(value, anyStatus))
}

/** The pet with this id. */
export const petOf = (id: bigint, { status, ...pet }: Fields): Pet => ({
  id,
  ...pet,
  ...(status !== undefined && { status })
})
