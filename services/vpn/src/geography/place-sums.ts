import { countryName } from './country-name.ts'
import { unknownCountry } from './place.ts'

/** What one peer moved at one place. */
export interface PlaceSum {
  readonly peer_id: string
  readonly country: string
  readonly asn: number
  readonly rx_bytes: number
  readonly tx_bytes: number
  /** For a network whose name may not be stored yet. */
  readonly organization?: string | null
}

interface Sum {
  rx: number
  tx: number
  readonly peers: Set<string>
  /** Bytes by country. */
  readonly countries: Map<string, number>
  organization: string | null
}

/** Sums by country, most traffic first. Where nothing is counted, what is of no country is left out. */
export function addUpCountries(found: readonly PlaceSum[], isAvailable: boolean) {
  const sums = addUp(found, ({ country }) => country)
  if (!isAvailable) sums.delete(unknownCountry)
  return itemsOf(sums, (code) => ({ code, name: countryName(code) }))
}

/** Sums by network, most traffic first. Where nothing is counted, what is of no network is left out. */
export function addUpNetworks(
  found: readonly PlaceSum[],
  { isAvailable, names }: { isAvailable: boolean; names: ReadonlyMap<number, string> },
) {
  const sums = addUp(found, ({ asn }) => asn)
  if (!isAvailable) sums.delete(0)
  return itemsOf(sums, (asn, sum) => ({
    asn,
    organization: names.get(asn) ?? sum.organization,
    country: mostOf(sum.countries),
  }))
}

function addUp<Key>(found: readonly PlaceSum[], keyOf: (sum: PlaceSum) => Key): Map<Key, Sum> {
  const sums = new Map<Key, Sum>()
  for (const each of found) {
    const key = keyOf(each)
    const sum = sums.get(key) ?? { rx: 0, tx: 0, peers: new Set(), countries: new Map(), organization: null }
    sums.set(key, sum)
    sum.rx += each.rx_bytes
    sum.tx += each.tx_bytes
    sum.peers.add(each.peer_id)
    sum.countries.set(each.country, (sum.countries.get(each.country) ?? 0) + each.rx_bytes + each.tx_bytes)
    sum.organization ??= each.organization ?? null
  }
  return sums
}

function itemsOf<Key, Named extends object>(sums: ReadonlyMap<Key, Sum>, nameOf: (key: Key, sum: Sum) => Named) {
  const total = [...sums.values()].reduce((bytes, { rx, tx }) => bytes + rx + tx, 0)
  const items = [...sums].map(([key, sum]) =>
    Object.assign(nameOf(key, sum), {
      rx_bytes: sum.rx,
      tx_bytes: sum.tx,
      total_bytes: sum.rx + sum.tx,
      percentage: total === 0 ? 0 : Math.round(((sum.rx + sum.tx) / total) * 1000) / 10,
      peers: sum.peers.size,
    }),
  )
  return { items: items.toSorted((a, b) => b.total_bytes - a.total_bytes), total_bytes: total }
}

function mostOf(countries: ReadonlyMap<string, number>): string {
  const known = [...countries].filter(([code]) => code !== unknownCountry)
  return known.toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? unknownCountry
}
