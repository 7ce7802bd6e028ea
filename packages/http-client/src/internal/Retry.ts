/** When a failed call is tried again. */
import type { PetStoreError } from "../Errors.ts"
import { byStatus } from "./Answer.ts"

const firstBackoff = 500
const maxBackoff = 8000

/** Whether the failure may pass by itself. Repeating does no harm: a create has an idempotency key. */
export const mayPass = ({ code, status }: PetStoreError): boolean =>
  code === "network_failure" || byStatus(status) !== undefined

/**
 * The milliseconds to wait after so many failed tries: at random up to a limit that doubles (full jitter), after
 * the time that the service asks for.
 */
export const waitAfter = (
  { retryAfter = 0 }: PetStoreError,
  failures: number,
  random: number
): number => retryAfter * 1000 + random * Math.min(firstBackoff * 2 ** (failures - 1), maxBackoff)
