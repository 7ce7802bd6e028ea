/** Pages as they were read, kept for as long as nobody has changed the file since. */
import type { ListPets, PetPage } from "@petstore/domain/PetPage"

/** Gives a page that was read before, or reads it. */
export type PageCache = (query: ListPets, read: (query: ListPets) => PetPage) => PetPage

/**
 * Keeps pages of about so many bytes in all, the oldest of them go first. `version` tells a file
 * that has changed, by whichever process, from one that has not; it is asked every time.
 */
export const make = (maxBytes: number, version: () => unknown): PageCache => {
  const pages = new Map<string, { readonly page: PetPage; readonly bytes: number }>()
  let bytes = 0
  let known: unknown

  return (query, read) => {
    const current = version()
    if (current !== known) {
      pages.clear()
      bytes = 0
      known = current
    }
    const key = `${query.limit} ${query.status ?? ""} ${query.after ?? ""}`
    const found = pages.get(key)
    if (found !== undefined) return found.page
    const page = read(query)
    const size = sizeOf(page)
    if (size > maxBytes) return page
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

/** Roughly: a name is held as it is and, at worst all of it escaped, in the text of an answer. */
const sizeOf = ({ pets }: PetPage): number =>
  pets.reduce((sum, pet) => sum + 200 + 8 * pet.name.length, 500)
