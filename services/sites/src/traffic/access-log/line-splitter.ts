/** Cuts bytes into lines, keeping no more than one unfinished line of bounded length. */
export type LineSplitter = ReturnType<typeof createLineSplitter>

const lineEnd = 0x0a

/** @param longest bytes of a line that is still read */
export function createLineSplitter(longest: number) {
  let kept: Uint8Array[] = []
  let unfinished = 0
  let tooLong = 0

  function finish(piece: Uint8Array): string[] {
    const length = unfinished + piece.length
    const line = length > longest ? undefined : Buffer.concat([...kept, piece], length).toString('utf8')
    kept = []
    unfinished = 0
    if (line === undefined) tooLong += 1
    return line === undefined ? [] : [line]
  }

  return {
    /** Returns the lines that these bytes end. A line that is too long is left out and counted. */
    push(bytes: Uint8Array): string[] {
      const lines: string[] = []
      let start = 0
      for (let end = bytes.indexOf(lineEnd); end !== -1; end = bytes.indexOf(lineEnd, start)) {
        lines.push(...finish(bytes.subarray(start, end)))
        start = end + 1
      }
      const rest = bytes.subarray(start)
      unfinished += rest.length
      // A copy, because the bytes are the reader's and will be overwritten.
      if (unfinished > longest) kept = []
      else if (rest.length > 0) kept.push(Uint8Array.from(rest))
      return lines
    },
    /** Bytes since the end of the last line. */
    get unfinished(): number {
      return unfinished
    },
    /** Lines left out so far. */
    get tooLong(): number {
      return tooLong
    },
  }
}
