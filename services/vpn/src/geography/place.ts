import { isIP } from 'node:net'
import type { Mmdb } from './mmdb/mmdb.ts'
import type { MmdbValue } from './mmdb/mmdb-value.ts'

/** Place of an address, as far as the databases know. */
export interface Place {
  /** ISO 3166-1 alpha-2; `ZZ` when it is not known. */
  readonly country: string
  readonly city: string | null
  readonly latitude: number | null
  readonly longitude: number | null
  /** Number of the network; 0 when it is not known. */
  readonly asn: number
  readonly organization: string | null
}

/** ISO 3166's code for "unknown". */
export const unknownCountry = 'ZZ'

export const nowhere: Place = {
  country: unknownCountry,
  city: null,
  latitude: null,
  longitude: null,
  asn: 0,
  organization: null,
}

/** Finds an address in the databases that are there. Throws what a damaged database throws. */
export function placeOf(address: string, databases: { country: Mmdb | undefined; asn: Mmdb | undefined }): Place {
  if (isIP(address.replace(/%.*$/s, '')) === 0) return nowhere
  const land = databases.country?.get(address)
  const network = databases.asn?.get(address)
  return {
    country: countryOf(land),
    city: textAt(land, ['city', 'names', 'en']),
    latitude: degreesAt(land, ['location', 'latitude'], 90),
    longitude: degreesAt(land, ['location', 'longitude'], 180),
    asn: asnOf(network),
    organization: textAt(network, ['autonomous_system_organization']) ?? textAt(network, ['as_name']),
  }
}

/** The country an address is used in; where that is not known, the one it is registered in. */
function countryOf(record: MmdbValue | undefined): string {
  const paths = [['country', 'iso_code'], ['registered_country', 'iso_code'], ['country_code'], ['country']]
  for (const path of paths) {
    const code = textAt(record, path)
    if (code !== null && /^[A-Z]{2}$/.test(code)) return code
  }
  return unknownCountry
}

function asnOf(record: MmdbValue | undefined): number {
  const value = at(record, ['autonomous_system_number']) ?? at(record, ['asn'])
  const number = typeof value === 'string' ? Number(value.replace(/^AS/i, '')) : value
  return typeof number === 'number' && Number.isInteger(number) && number > 0 && number < 2 ** 32 ? number : 0
}

function degreesAt(record: MmdbValue | undefined, path: readonly string[], max: number): number | null {
  const value = at(record, path)
  return typeof value === 'number' && Math.abs(value) <= max ? value : null
}

/** Texts go to pages and into tables: short, and without what no name has. */
function textAt(record: MmdbValue | undefined, path: readonly string[]): string | null {
  const value = at(record, path)
  if (typeof value !== 'string') return null
  const text = value
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, 200)
  return text === '' ? null : text
}

function at(record: MmdbValue | undefined, path: readonly string[]): MmdbValue | undefined {
  let found = record
  for (const name of path) {
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined
    const object = found as Readonly<Record<string, MmdbValue>>
    found = Object.hasOwn(object, name) ? object[name] : undefined
  }
  return found
}

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' })

/** Returns the English name of a country; the code itself for one that this Node does not know. */
export function countryName(code: string): string {
  return code === unknownCountry || !/^[A-Z]{2}$/.test(code) ? 'Unknown' : (names.of(code) ?? code)
}
