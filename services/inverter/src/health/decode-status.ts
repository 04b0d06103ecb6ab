/** Faults of the four fault words, by bit number: bit 0 of word 0 is 0, bit 31 of word 3 is 127. */
export function faultsOf(words: readonly number[], labels: readonly string[]): { bit: number; label: string }[] {
  return words.flatMap((word, index) =>
    bitsOf(word).map((bit) => {
      const number = 32 * index + bit
      return { bit: number, label: labels[number] ?? `fault_${number}` }
    }),
  )
}

/** Names of the bits of a status word; a bit without a name is told by its mask. */
export function flagsOf(word: number, labels: ReadonlyMap<number, string>): string[] {
  return bitsOf(word).map((bit) => labels.get(2 ** bit) ?? `0x${(2 ** bit).toString(16)}`)
}

function bitsOf(word: number): number[] {
  return Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => ((word >>> bit) & 1) === 1)
}
