import { unknownCountry } from './place.ts'

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' })

/** What a country is called in English; the code itself for one that is not known to this Node. */
export function countryName(code: string): string {
  return code === unknownCountry || !/^[A-Z]{2}$/.test(code) ? 'Unknown' : (names.of(code) ?? code)
}
