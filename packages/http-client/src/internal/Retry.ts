/** When a failed call is tried again. */
import type { PetStoreError } from "../Errors.ts"
import type { Operation } from "./Operations.ts"
import type { Settings } from "./Settings.ts"

const firstBackoff = 500
const longestBackoff = 8000

/** Whether the failure may pass by itself, and repeating the operation does no harm. */
export const mayRepeat =
  ({ retriesCreates }: Settings, { json }: Operation<unknown>) =>
  ({ code, status = 0 }: PetStoreError): boolean =>
    (json === undefined || retriesCreates) &&
    (code === "network_failure" || status === 429 || (status >= 502 && status <= 504))

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
