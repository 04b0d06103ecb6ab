import { countryName, unknownCountry } from './place.ts'
import type { PlaceSumRow } from './store.ts'

/** Traffic of one peer at one place. */
export interface PlaceSum extends PlaceSumRow {
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

/** Found sums, in parts. */
type FoundPlaces = AsyncIterable<Iterable<PlaceSum>>

/** Sums by country, most traffic first. Where nothing is counted, what is of no country is left out. */
export async function addUpCountries(found: FoundPlaces, isAvailable: boolean) {
  const sums = await addUp(found, ({ country }) => country)
  if (!isAvailable) sums.delete(unknownCountry)
  return itemsOf(sums, (code) => ({ code, name: countryName(code) }))
}

/** Sums by network, most traffic first. Where nothing is counted, what is of no network is left out. */
export async function addUpNetworks(
  found: FoundPlaces,
  { isAvailable, namesOf }: { isAvailable: boolean; namesOf: (asns: number[]) => Promise<ReadonlyMap<number, string>> },
) {
  const sums = await addUp(found, ({ asn }) => asn)
  const names = await namesOf([...sums.keys()])
  if (!isAvailable) sums.delete(0)
  return itemsOf(sums, (asn, sum) => ({
    asn,
    organization: names.get(asn) ?? sum.organization,
    country: mainCountryOf(sum.countries),
  }))
}

async function addUp<Key>(found: FoundPlaces, keyOf: (sum: PlaceSum) => Key): Promise<Map<Key, Sum>> {
  const sums = new Map<Key, Sum>()
  for await (const part of found) {
    for (const each of part) {
      const key = keyOf(each)
      const sum = sums.get(key) ?? { rx: 0, tx: 0, peers: new Set(), countries: new Map(), organization: null }
      sums.set(key, sum)
      addTo(sum, each)
    }
  }
  return sums
}

function addTo(sum: Sum, { peer_id: peer, country, rx_bytes: rx, tx_bytes: tx, organization }: PlaceSum): void {
  sum.rx += rx
  sum.tx += tx
  sum.peers.add(peer)
  sum.countries.set(country, (sum.countries.get(country) ?? 0) + rx + tx)
  sum.organization ??= organization ?? null
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

function mainCountryOf(countries: ReadonlyMap<string, number>): string {
  const known = [...countries].filter(([code]) => code !== unknownCountry)
  return known.toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? unknownCountry
}
