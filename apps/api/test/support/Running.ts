/** A program that runs, in this process or in its own. */
import { Effect, type Scope } from "effect"

/** How a program ended, and what it printed. */
export interface Result {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** How a program ended on a terminal, which shows both outputs. */
export interface Seen {
  readonly code: number
  readonly signal: number | undefined
  /** The output, with the line ends of a terminal. */
  readonly screen: string
  readonly lines: ReadonlyArray<string>
}

/** How long output is waited for, even on busy machines. */
const longest = 120_000

/** What programs print, with the messages of the last lines of servers instead of the JSON that has them. */
export const withoutJson = (printed: string): string =>
  printed.replaceAll(
    /^\{"timestamp":"[^"]+","level":"fatal","message":("(?:[^"\\]|\\.)*")\}$/gm,
    (_, message) => JSON.parse(message)
  )

/** A program that runs. */
export abstract class Running {
  stdout = ""
  stderr = ""
  abstract readonly ended: Promise<Result>
  protected abstract readonly isOver: boolean

  /** Sends a signal, and waits for the end. */
  abstract stop(signal: NodeJS.Signals): Promise<Result>

  /** Writes to standard input. Resolves once the pipe takes more, so what was there has been read. */
  abstract write(text: string): Promise<void>

  /** Waits until the output matches the pattern. Resolves to the first group, or the whole match. */
  until(pattern: RegExp): Promise<string> {
    return this.#poll(pattern, () => {
      const found = pattern.exec(this.stdout + this.stderr)
      return found?.[1] ?? found?.[0]
    })
  }

  /** Waits until the output has this many lines that match the pattern, and resolves to them. */
  untilAll(pattern: RegExp, count: number): Promise<ReadonlyArray<string>> {
    return this.#poll(pattern, () => {
      const found = this.stdout.split("\n").filter((line) => pattern.test(line))
      return found.length < count ? undefined : found
    })
  }

  async #poll<A>(pattern: RegExp, find: () => A | undefined): Promise<A> {
    for (const deadline = Date.now() + longest; Date.now() < deadline; ) {
      const isOver = this.isOver
      const found = find()
      if (found !== undefined) return found
      if (isOver) break
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error(`the output does not match ${pattern}: ${this.stdout}${this.stderr}`)
  }

  /** The address of a server, once it listens. */
  url(): Promise<string> {
    return this.until(/serving (http:\S+) /)
  }
}

/** Starts a server in this way, and waits until it serves. */
export const serveBy =
  <P extends Running, Given extends ReadonlyArray<unknown>>(
    start: (...given: Given) => Effect.Effect<P, never, Scope.Scope>
  ) =>
  (...given: Given) =>
    Effect.gen(function* () {
      const program = yield* start(...given)
      return { program, url: yield* Effect.promise(() => program.url()) }
    })
