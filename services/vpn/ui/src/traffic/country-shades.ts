/** Returns the shade of a country: 0 for none, 1 to 5 by the order of magnitude below the most. */
export function shadeOf(bytes: number, most: number): number {
  if (bytes <= 0 || most <= 0) return 0
  const below = Math.log10(most / bytes)
  return Math.max(1, 5 - Math.floor(below))
}
