/** What a client saw. */
export interface Report {
  readonly created: unknown
  readonly got: unknown
  readonly listed: unknown
  readonly refused: unknown
}

/** Prints the report, for the test to read. */
export const print = (report: Report): void => {
  process.stdout.write(JSON.stringify(report))
}
