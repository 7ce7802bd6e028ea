/**
 * The format of a key: `pet_<public id>_<secret><checksum>`, in small letters and digits. A double
 * click selects all of it, secret scanners recognize its prefix, and the checksum detects typing errors.
 */
import { KeyId } from "./ApiKey.ts"

const pattern = /^(pet_([0-9a-v]{10})_[0-9a-v]{32})([0-9a-v]{7})$/

/** How many random bytes a key is made of: 50 bits of them become its id, 160 its secret. */
export const randomBytes = 42

/** A new key's id and text, from {@link randomBytes} random bytes. */
export const fromBytes = (bytes: Uint8Array): { readonly id: KeyId; readonly text: string } => {
  if (bytes.length !== randomBytes) throw new RangeError(`a key is made of ${randomBytes} bytes`)
  const characters = Array.from(bytes, (byte) => (byte & 31).toString(32)).join("")
  const id = KeyId.make(characters.slice(0, 10))
  const body = `pet_${id}_${characters.slice(10)}`
  return { id, text: body + checksum(body) }
}

/** Whether a text has the form and the checksum of a key, issued or not. */
export const isWellFormed = (text: string): boolean => idOf(text) !== undefined

/** The id of a text that has the form and the checksum of a key, issued or not. */
export const idOf = (text: string): KeyId | undefined => {
  const [, body, id, check] = pattern.exec(text) ?? []
  return id !== undefined && body !== undefined && checksum(body) === check
    ? KeyId.make(id)
    : undefined
}

/** A text without the secrets of keys in it, for logs: callers put keys where they do not belong. */
export const withoutSecrets = (text: string): string =>
  text.replaceAll(/(pet_[0-9a-v]{10}_)[0-9a-v]+/g, "$1***")

/** CRC-32: detects any wrong character, and any two that were swapped. */
const checksum = (text: string): string => {
  let crc = -1
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (~crc >>> 0).toString(32).padStart(7, "0")
}
