/** A level with one decimal and a real minus: `−9.1`. */
export function decibels(value: number): string {
  return value.toFixed(1).replace('-', '−')
}

/** Length of a silence: `none`, `0.12 s`, `2.5 s`. */
export function pause(seconds: number): string {
  if (seconds < 0.01) return 'none'
  return `${seconds < 1 ? seconds.toFixed(2) : seconds.toFixed(1)} s`
}

/** Neighbours of a key on the Camelot wheel: one step back, one step on, and the other mode. `8A` mixes with `7A`, `9A` and `8B`. */
export function mixesWith(camelot: string): string[] {
  const number = Number.parseInt(camelot, 10)
  const letter = camelot.endsWith('A') ? 'A' : 'B'
  const step = (by: number) => ((number - 1 + by + 12) % 12) + 1
  return [`${step(-1)}${letter}`, `${step(1)}${letter}`, `${number}${letter === 'A' ? 'B' : 'A'}`]
}
