/** What the stores tell about their work, for metrics. */

/** Called by the stores when something happens. */
export interface SqliteEvents {
  /** So many writes were committed together. */
  readonly onBatch?: (size: number) => void
  /** A page was in the cache, or was not. */
  readonly onCache?: (isHit: boolean) => void
}
