/** A cache of pages, valid until the file changes. */
import { keyOf, type ListPets } from "@petstore/domain/ListPets"
import type { PetPage } from "@petstore/domain/PetPage"

/**
 * Returns a cached page, or reads it. Holds pages of about this many bytes in all, and drops the oldest first. `version`
 * changes whenever any process changes the file; it is called every time.
 */
export const make = (
  maxBytes: number,
  version: () => unknown,
  onLook: (isHit: boolean) => void = () => {}
) => {
  const pages = new Map<string, { readonly page: PetPage; readonly bytes: number }>()
  let bytes = 0
  let known: unknown

  return (query: ListPets, read: () => PetPage): PetPage => {
    const current = version()
    if (current !== known) {
      pages.clear()
      bytes = 0
      known = current
    }
    const key = keyOf(query)
    const found = pages.get(key)
    const page = found?.page ?? read()
    onLook(found !== undefined)
    const size = found?.bytes ?? sizeOf(page)
    if (found !== undefined || size > maxBytes) return page
    for (const [oldest, forgotten] of pages) {
      if (bytes + size <= maxBytes) break
      pages.delete(oldest)
      bytes -= forgotten.bytes
    }
    pages.set(key, { page, bytes: size })
    bytes += size
    return page
  }
}

/** An estimate: a name is kept as it is and, escaped, in a cached response. */
const sizeOf = ({ pets }: PetPage): number =>
  pets.reduce((sum, pet) => sum + 200 + 8 * pet.name.length, 500)
