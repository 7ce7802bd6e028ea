/** Sends a command a signal at a certain moment. */
const hook = new URL("./signalAtCall.mjs", import.meta.url).href

/** The environment of a command that gets a signal at its first call of a function of `node:fs/promises`. */
export const signalAtCall = (signal: NodeJS.Signals, name: "link" | "rename" | "writeFile") => ({
  NODE_OPTIONS: `--import=${hook}`,
  SIGNAL: signal,
  SIGNAL_AT: name
})
