/** A text of many pieces, joined as they come: millions of short ones need no more memory than the text. */
export const make = () => {
  const parts: Array<string> = []
  let pieces: Array<string> = []
  let length = 0
  return {
    add: (piece: string) => {
      length += piece.length
      if (pieces.push(piece) < 10_000) return
      parts.push(pieces.join(""))
      pieces = []
    },
    length: () => length,
    text: () => [...parts, ...pieces].join("")
  }
}

export type LongText = ReturnType<typeof make>
