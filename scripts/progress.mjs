// Says what takes long, on standard error: on a terminal in a line that counts the seconds, elsewhere in a line at first and
// another every half minute.

const { stderr, stdout } = process

/** What takes less than this, in milliseconds, is not mentioned. */
const patience = 900
/** In seconds. */
const reminder = 30

const eraseLine = "\r\u001b[K"

/** Begins a step. The text of what it does may change meanwhile. */
export const begin = (textOf) => {
  const startedAt = Date.now()
  let isShown = false
  const show = () => {
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    if (stderr.isTTY) {
      const line = `${String(seconds).padStart(6)} s  ${textOf()}`
      stderr.write(eraseLine + line.slice(0, stderr.columns - 1))
    } else if (!isShown || seconds % reminder === 0) {
      stderr.write(`${textOf()} …${isShown ? ` ${seconds} s` : ""}\n`)
    }
    isShown = true
  }
  const first = setTimeout(show, patience)
  const others = setInterval(show, 1000)
  return {
    /** Prints a text above the line. */
    print: (text) => {
      if (isShown && stderr.isTTY) stderr.write(eraseLine)
      stdout.write(text)
    },
    /** Ends the step. On a terminal its line stays. */
    end: () => {
      clearTimeout(first)
      clearInterval(others)
      if (!isShown || !stderr.isTTY) return
      show()
      stderr.write("\n")
    }
  }
}
