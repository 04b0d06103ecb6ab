import type { Evidence, HintKind, Location } from './schema.ts'

/** Something unusual that a detector found. */
export interface Finding {
  readonly kind: HintKind
  readonly subject: { readonly id: string; readonly name: string }
  /** Findings of a kind about the same subject and topic are one hint; empty for nothing that tells them apart. */
  readonly topic: string
  /** The country or domain that may be expected; empty for none. */
  readonly about: string
  readonly at: number
  /** Makes the evidence, from that of the open hint that it continues if there is one. */
  readonly evidence: (before: Evidence | undefined) => Evidence
}

/** Place of an address, as far as the databases know. */
export interface KnownPlace {
  /** ISO 3166-1 alpha-2; `ZZ` when it is not known. */
  readonly country: string
  readonly latitude: number | null
  readonly longitude: number | null
  /** 0 when it is not known. */
  readonly asn: number
  readonly organization: string | null
}

/** What finds places of addresses, and names countries. */
export interface Atlas {
  readonly place: (address: string) => KnownPlace
  readonly countryName: (code: string) => string
}

/** Describes where an address is. */
export function locationOf({ place, countryName }: Atlas, address: string): Location {
  const { country, asn, organization } = place(address)
  const isKnown = country !== 'ZZ'
  return {
    address,
    country_code: isKnown ? country : null,
    country: isKnown ? countryName(country) : null,
    asn: asn === 0 ? null : asn,
    organization,
  }
}

/** Kilometres between two places on a sphere; null where one is not known. */
export function distanceBetween(from: KnownPlace, to: KnownPlace): number | null {
  const [a, b, c, d] = [from.latitude, from.longitude, to.latitude, to.longitude]
  if (a === null || b === null || c === null || d === null) return null
  const radians = Math.PI / 180
  const part = Math.sin(((c - a) * radians) / 2) ** 2
  const other = Math.cos(a * radians) * Math.cos(c * radians) * Math.sin(((d - b) * radians) / 2) ** 2
  return Math.round(2 * 6371 * Math.asin(Math.min(1, Math.sqrt(part + other))))
}
