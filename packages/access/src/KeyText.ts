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
  const [, body = "", id = "", check] = pattern.exec(text) ?? []
  return checksum(body) === check ? KeyId.make(id) : undefined
}

/** A pattern, for the flag `i`, of a text of visible ASCII characters, also percent-encoded any number of times. */
const inAnyForm = (text: string): string =>
  Array.from(text, (character) => {
    const [lower, upper] = [character.toLowerCase(), character.toUpperCase()].map(hexOf)
    // The longer form first: a percent sign is the beginning of its own encoding.
    return `(?:%(?:25)*(?:${lower}|${upper})|\\x${lower})`
  }).join("")

const hexOf = (character: string): string => character.charCodeAt(0).toString(16)

/** The same for a letter or digit of an issued key. */
const digit = "(?:[0-9a-v]|%(?:25)*(?:3[0-9]|[46][1-9a-f]|[57][0-6]))"

const issued = {
  part: "pet_",
  pattern: new RegExp(`(${inAnyForm("pet_")}${digit}{10}${inAnyForm("_")})${digit}+`, "gi"),
  shown: "$1***"
}

/**
 * Removes the secrets of issued keys, and these keys, from texts: callers put keys where they do not belong. Finds
 * them in any letter case, percent-encoded any number of times, and escaped as in JSON. Keys are visible ASCII.
 */
export const mask = (keys: ReadonlyArray<string>): ((text: string) => string) => {
  const forms = new Set(keys.flatMap((key) => [key, JSON.stringify(key).slice(1, -1)]))
  const given = [...forms]
    // The beginning of an issued key is found as such, with the rest of it.
    .filter((key) => !/^pet_[0-9a-v]{10}_[0-9a-v]+$/i.test(key))
    // One key may be the beginning of another.
    .sort((a, b) => b.length - a.length)
    .map((key) => ({
      part: key.toLowerCase(),
      pattern: new RegExp(inAnyForm(key), "gi"),
      shown: "***"
    }))
  const secrets = [...given, issued]
  return (text) => {
    // Most texts hold no key, and a search for a plain text is faster than a pattern.
    const plain = text.includes("%") ? undefined : text.toLowerCase()
    return secrets.reduce(
      (rest, { part, pattern, shown }) =>
        plain === undefined || plain.includes(part) ? rest.replace(pattern, shown) : rest,
      text
    )
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
