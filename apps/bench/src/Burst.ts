/** One burst of requests: what it is aimed at and what came of it. */
import type { Work } from "./Works.ts"

export const connections = 32
/** Whole seconds, which is what wrk can count. */
export const seconds = 1

export interface Burst {
  readonly requests: number
  readonly seconds: number
  /** Answers that were errors, and requests that had no answer. */
  readonly failures: number
  readonly p99Millis: number
}

export interface Target {
  readonly origin: string
  readonly work: Work
  /** The ids from which `{id}` is taken: 1 to this. */
  readonly animals: number
  /** The same for every server of a round, so that all are asked for the same ids. */
  readonly seed: number
}
