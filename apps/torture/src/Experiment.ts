/** An experiment: an attack on the service, and what it must have seen. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Need } from "./Needs.ts"
import type { Random } from "./Random.ts"

/** What the service runs on. */
export type Database = "sqlite" | "postgres"

/** The figures of a trial by name, such as `acknowledged`, in the order in which they are shown. */
export type Figures = Readonly<Record<string, number | string>>

/** One run of an experiment. */
export interface Trial {
  readonly database: Database
  /** Whether something is broken on purpose; then the trial must report a problem. */
  readonly isControl: boolean
  /** The part of `sabotage.mjs` that breaks the service, if a control has one. */
  readonly sabotage: string | undefined
  /** About how long the attack lasts. */
  readonly seconds: number
  readonly random: Random
  /** Adds to a figure. */
  readonly count: (figure: string, many?: number) => void
  /** Sets figures. */
  readonly note: (figures: Figures) => void
  /** Reports what broke a promise, one sentence each. */
  readonly wrong: (...problems: ReadonlyArray<string>) => void
  /** Prints what happens, with `--watch`. */
  readonly show: (text: string) => Effect.Effect<void>
}

/** What is broken on purpose, on the first database, and the part of `sabotage.mjs` that does it, unless the experiment does. */
export interface Control {
  readonly broken: string
  readonly sabotage?: string
}

/** An attack, repeatable by its seed. Its resources are released when the scope closes, even if it is interrupted. */
export interface Experiment {
  readonly name: string
  /** What is done to break the promise that `docs/reliability.md` has under this name. */
  readonly attack: string
  /** The figures that a trial must reach: with less it has shown nothing. They are counted from 0, and shown first. */
  readonly least: Readonly<Record<string, number>>
  readonly controls: readonly [Control, ...ReadonlyArray<Control>]
  readonly databases: readonly [Database, ...ReadonlyArray<Database>]
  readonly needs?: ReadonlyArray<Need>
  /** The seconds of a short run, per database. */
  readonly seconds: number
  /**
   * How often a trial that came out wrong runs again, none by default. One that measures times needs it: a machine that others
   * slow down spoils it now and then, a fault of the service every time.
   */
  readonly retries?: number
  readonly run: (trial: Trial) => Effect.Effect<void, never, Scope.Scope>
}
