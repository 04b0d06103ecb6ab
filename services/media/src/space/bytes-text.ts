const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** A size for people, in the units of the pages: `420 MiB`, `1.2 GiB`. */
export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${value < 9.95 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}
