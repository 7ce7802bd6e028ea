/** An experiment: an attack on the service, and what must hold nevertheless. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Need } from "./Needs.ts"
import type { Random } from "./Random.ts"

/** What the service runs on. */
export type Database = "sqlite" | "postgres"

/** One run of an experiment. */
export interface Trial {
  readonly database: Database
  /** The service, or the test, is broken on purpose; then the experiment must fail. */
  readonly isControl: boolean
  /** About how long the attack lasts. */
  readonly seconds: number
  readonly random: Random
  /** Prints what happens, with `--watch`. */
  readonly show: (text: string) => Effect.Effect<void>
}

/** What came of a trial. */
export interface Outcome {
  /** Figures by name, such as `acknowledged`, in the order in which they are shown. */
  readonly figures: Readonly<Record<string, number | string>>
  /** Promises that were not kept, one sentence each. */
  readonly wrong: ReadonlyArray<string>
}

/** An attack, repeatable by its seed. Its resources are released when the scope closes, also if it is interrupted. */
export interface Experiment {
  readonly name: string
  /** What is promised, as a sentence without a full stop: for `docs/reliability.md`. */
  readonly promise: string
  /** What is done to break it. */
  readonly attack: string
  readonly databases: readonly [Database, ...ReadonlyArray<Database>]
  readonly needs: ReadonlyArray<Need>
  /** The seconds of a short run, per database. */
  readonly seconds: number
  /** The least of its figures that a trial must reach: below it, it has shown nothing. */
  readonly least: Readonly<Record<string, number>>
  /** What is broken on purpose, on the first database. Without it the experiment has no control. */
  readonly control?: string
  readonly run: (trial: Trial) => Effect.Effect<Outcome, never, Scope.Scope>
}
