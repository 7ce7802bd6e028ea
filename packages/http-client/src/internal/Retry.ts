/** When a failed call is tried again. */
import type { PetStoreError } from "../Errors.ts"
import type { Operation } from "./Operations.ts"
import type { Settings } from "./Settings.ts"

const firstBackoff = 500
const longestBackoff = 8000

/** Whether the failure may pass by itself. */
export const mayPass = ({ code, status }: PetStoreError): boolean =>
  code === "network_failure" ||
  status === 429 ||
  (status !== undefined && status >= 502 && status <= 504)

/** Whether repeating the operation is safe. */
export const isRepeatable = (settings: Settings, { json }: Operation<unknown>): boolean =>
  json === undefined || settings.retriesCreates

/**
 * The milliseconds to wait after so many failed tries: at random up to a limit that doubles (full jitter), after
 * the time that the service asks for.
 */
export const waitAfter = (
  { retryAfter = 0 }: PetStoreError,
  failures: number,
  random: number
): number =>
  retryAfter * 1000 + random * Math.min(firstBackoff * 2 ** (failures - 1), longestBackoff)
