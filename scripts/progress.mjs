// Says what takes long, on standard error: on a terminal in a line that counts the seconds, elsewhere in a line at first and
// another every half minute.

const { stderr } = process

/** What takes less than this, in milliseconds, is not mentioned. */
const patience = 900
/** In seconds. */
const reminder = 30

/** Begins a step. Returns a function that ends it. */
export const begin = (text) => {
  const startedAt = Date.now()
  let isShown = false
  const show = () => {
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    if (stderr.isTTY) {
      const line = `${String(seconds).padStart(4)} s  ${text}`
      stderr.write(`\r\u001b[K${line.slice(0, stderr.columns - 1)}`)
    } else if (!isShown || seconds % reminder === 0) {
      stderr.write(isShown ? `${text} … ${seconds} s\n` : `${text} …\n`)
    }
    isShown = true
  }
  const first = setTimeout(show, patience)
  const others = setInterval(show, 1000)
  return () => {
    clearTimeout(first)
    clearInterval(others)
    if (isShown && stderr.isTTY) stderr.write("\n")
  }
}
