import type { Kysely } from 'kysely'
import type { PlaceTrafficRow, Tables } from '../tables.ts'
import { bucketStart, tiers } from '../traffic/bucket.ts'
import type { ClosedBucket } from '../traffic/recorder.ts'
import type { Databases } from './databases.ts'
import { unknownCountry } from './place.ts'
import { addPlaceRows, saveNetworks, type PlaceSource } from './store.ts'

/** Bytes of a peer that belong to an address outside. */
export interface PlacedBytes {
  readonly peerId: string
  readonly address: string
  readonly at: number
  readonly rx: number
  readonly tx: number
}

/** Maximum places of a peer in one hour and of one kind; what is beyond counts as unknown, so that no table grows without end. */
const maxPlaces = 200

/** Finds the places of addresses, and keeps what was moved from and to them. */
export class Attribution {
  readonly #databases: Databases
  /** Places of the current hour, by kind and peer. */
  readonly #places = new Map<string, Set<string>>()
  #hour = Number.NaN
  readonly #savedNetworks = new Map<number, string>()

  constructor(databases: Databases) {
    this.#databases = databases
  }

  /** Returns true if any address can have a place at all. */
  isPossible(): boolean {
    return this.#databases.has('country') || this.#databases.has('asn')
  }

  /** Called with the buckets that are written, in their transaction: traffic goes to where the peer connected from then. */
  async addEndpoints(trx: Kysely<Tables>, closed: readonly ClosedBucket[]): Promise<void> {
    await this.add(
      trx,
      'endpoint',
      closed.flatMap(({ id, bucket }) =>
        id === null
          ? []
          : bucket.from.map(({ host, rx, tx }) => ({ peerId: id, address: host, at: bucket.start, rx, tx })),
      ),
    )
  }

  /** Keeps bytes by hour, peer and place; nothing without a database. */
  async add(trx: Kysely<Tables>, source: PlaceSource, placed: readonly PlacedBytes[]): Promise<void> {
    if (placed.length === 0 || !this.isPossible()) return
    const networks = new Map<number, string>()
    const rows = placed.map((bytes) => {
      const row = this.#rowOf(source, bytes)
      const { organization } = this.#databases.place(bytes.address)
      if (organization !== null && row.asn !== 0 && this.#savedNetworks.get(row.asn) !== organization)
        networks.set(row.asn, organization)
      return row
    })
    await addPlaceRows(trx, rows)
    await saveNetworks(trx, networks)
    for (const [asn, organization] of networks) this.#savedNetworks.set(asn, organization)
  }

  #rowOf(source: PlaceSource, { peerId, address, at, rx, tx }: PlacedBytes): PlaceTrafficRow {
    const start = bucketStart(at, tiers.hour)
    const { country, asn } = this.#databases.place(address)
    const isCounted = this.#mayHave({ key: `${source} ${peerId}`, place: `${country} ${asn}`, hour: start })
    const place = isCounted ? { country, asn } : { country: unknownCountry, asn: 0 }
    return { source, start, peer_id: peerId, ...place, rx_bytes: rx, tx_bytes: tx }
  }

  #mayHave({ key, place, hour }: { key: string; place: string; hour: number }): boolean {
    if (hour > this.#hour || Number.isNaN(this.#hour)) {
      this.#places.clear()
      // Names are written again every hour: what was written in a transaction that failed is not there.
      this.#savedNetworks.clear()
      this.#hour = hour
    }
    const places = this.#places.get(key) ?? new Set()
    this.#places.set(key, places)
    if (places.has(place)) return true
    if (places.size >= maxPlaces) return false
    places.add(place)
    return true
  }
}
