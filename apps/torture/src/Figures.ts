/** Numbers for the figures of a trial. */

/** The value below which this share of the others is: 0.5 for the median. */
export const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

/** How many there were of each kind. */
export class Counts<Kind> extends Map<Kind, number> {
  readonly add = (kind: Kind, many = 1): void => void this.set(kind, this.of(kind) + many)
  readonly of = (kind: Kind): number => this.get(kind) ?? 0
  readonly total = (): number => [...this.values()].reduce((sum, one) => sum + one, 0)
}
