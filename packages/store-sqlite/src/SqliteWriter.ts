/** The thread that writes, which takes long to load. This module loads no driver. */
import * as Effect from "effect/Effect"
import * as Thread from "./internal/Thread.ts"

/** Begins to load the thread of the next store that is opened, so that it loads beside other work of the process. */
export const preload: Effect.Effect<void> = Effect.sync(Thread.preload)
