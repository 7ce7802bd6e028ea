/** Notices that the process has run out of file descriptors: the system then drops connections without a word to Node. */
import { closeSync, openSync } from "node:fs"
import { devNull } from "node:os"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

const warning =
  "out of file descriptors: new connections are dropped; raise the limit (ulimit -n) or lower the limit of connections"

/** Tries to open one, each time that this is called. Logs when it fails first, and when it succeeds again. */
export const make = (log: (line: Effect.Effect<void>) => void): (() => void) => {
  let isOut = false
  return () => {
    const wasOut = isOut
    isOut = !canOpen()
    if (isOut && !wasOut) log(Effect.logWarning(warning))
    if (wasOut && !isOut) log(Effect.logInfo("there are free file descriptors again"))
  }
}

const canOpen = (): boolean => Either.isRight(Either.try(() => closeSync(openSync(devNull, "r"))))
