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

/** The id of a text that has the form and the checksum of a key, issued or not. */
export const idOf = (text: string): KeyId | undefined => {
  const [, body = "", id = "", check] = pattern.exec(text) ?? []
  return checksum(body) === check ? KeyId.make(id) : undefined
}

/** Visible ASCII characters that were percent-encoded any number of times, as in JSON: a text may be a line of it. */
const decoded = (text: string): string =>
  text.replaceAll(/%(?:25)*([2-7][0-9a-f])/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)).replace(/["\\]/, "\\$&")
  )

/** A pattern of a text of visible ASCII characters, also as in JSON. */
const patternOf = (text: string): string =>
  Array.from(text, (character) => {
    const literal = `\\x${character.charCodeAt(0).toString(16)}`
    return /["\\]/.test(character) ? `\\\\?${literal}` : literal
  }).join("")

/**
 * Removes the secrets of issued keys, and these keys, from texts: callers put keys where they do not belong. Finds
 * them in any letter case, percent-encoded any number of times, and escaped as in JSON. Keys are visible ASCII. A text in
 * which one is found is returned without percent-encoding.
 */
export const mask = (keys: ReadonlyArray<string>): ((text: string) => string) => {
  const given = keys
    .flatMap((key) => [key, decoded(key)])
    // The beginning of an issued key is found as such, with the rest of it.
    .filter((key) => !/^pet_[0-9a-v]{10}_[0-9a-v]+$/i.test(key))
    // One key may be the beginning of another.
    .sort((a, b) => b.length - a.length)
    .map(patternOf)
  const secrets = new RegExp([...given, "(pet_[0-9a-v]{10}_)[0-9a-v]+"].join("|"), "gi")
  return (text) => {
    const plain = decoded(text)
    const masked = plain.replaceAll(secrets, (_, shown = "") => `${shown}***`)
    return masked === plain ? text : masked
  }
}

/** A text without the secrets of issued keys, for logs. */
export const withoutSecrets: (text: string) => string = mask([])

/** CRC-32: detects any wrong character, and any two that were swapped. */
const checksum = (text: string): string => {
  let crc = -1
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (~crc >>> 0).toString(32).padStart(7, "0")
}
