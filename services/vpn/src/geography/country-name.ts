import { unknownCountry } from './place.ts'

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' })

/** Returns the English name of a country; the code itself for one that this Node does not know. */
export function countryName(code: string): string {
  return code === unknownCountry || !/^[A-Z]{2}$/.test(code) ? 'Unknown' : (names.of(code) ?? code)
}
