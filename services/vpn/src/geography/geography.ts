import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Tables } from '../database/tables.ts'
import { statusOf, type FollowedPeer } from '../peers/followed-peer.ts'
import { forbidden, notFound } from '../problems.ts'
import { bucketStart, hostOfEndpoint, tiers } from '../traffic/bucket.ts'
import type { TrafficRecorder } from '../traffic/recorder.ts'
import type { DatabaseKind } from './database-file.ts'
import type { Databases } from './databases.ts'
import type { Destinations } from './destinations.ts'
import { addUpCountries, addUpNetworks, type PlaceSum } from './place-sums.ts'
import { countryName } from './country-name.ts'
import type { CountryTraffic, GeoQuery, NetworkTraffic, PeerPlaces } from './schema.ts'
import { networkNames, placeSums } from './store.ts'

/** Caller of a request; where single peers connect from is for administrators. */
interface Viewer {
  readonly role: 'admin' | 'user'
}

/** Traffic by country and by network. */
export interface Geography {
  countries(viewer: Viewer, query: GeoQuery): Promise<CountryTraffic>
  networks(viewer: Viewer, query: GeoQuery): Promise<NetworkTraffic>
  /** Returns the place that every peer connects from, or did last. */
  peers(): PeerPlaces
}

export interface GeographyParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly databases: Databases
  readonly destinations: Pick<Destinations, 'obstacle'>
  readonly recorder: TrafficRecorder
  readonly peers: () => Iterable<FollowedPeer>
  /** Reason why the newest database could not be downloaded; null when it could. */
  readonly updateProblem: (kind: DatabaseKind) => string | null
}

/** Hours older than this are kept as days, milliseconds. */
export const hourlyFor = 7 * 86_400_000

export function createGeography(parts: GeographyParts): Geography {
  return {
    async countries(viewer, query) {
      const state = await stateOf(parts, query, 'country')
      const found = placesOf(parts, viewer, query)
      return { ...(await addUpCountries(found, state.available)), by: query.by, ...state }
    },
    async networks(viewer, query) {
      const state = await stateOf(parts, query, 'asn')
      const found = placesOf(parts, viewer, query)
      const namesOf = (asns: number[]) => networkNames(parts.database.query, asns)
      return { ...(await addUpNetworks(found, { isAvailable: state.available, namesOf })), by: query.by, ...state }
    },
    peers: () => peerPlaces(parts),
  }
}

async function stateOf(parts: GeographyParts, { by }: GeoQuery, kind: DatabaseKind) {
  const missing = parts.databases.has(kind) ? null : reasonOf(parts, kind)
  const obstacle = by === 'destination' ? await parts.destinations.obstacle() : null
  return {
    available: missing === null && obstacle === null,
    reason: obstacle ?? missing ?? reasonOf(parts, kind),
    databases: { country: parts.databases.facts('country'), asn: parts.databases.facts('asn') },
  }
}

function reasonOf({ databases, updateProblem }: GeographyParts, kind: DatabaseKind): string | null {
  return updateProblem(kind) ?? databases.problem(kind)
}

/** Reads the stored sums, with those that the recorder still holds: of this hour or the one before. */
async function* placesOf(parts: GeographyParts, viewer: Viewer, query: GeoQuery): AsyncGenerator<PlaceSum[]> {
  if (query.peer !== undefined && viewer.role !== 'admin')
    throw forbidden('Insufficient permissions: where a single peer connects from is for administrators')
  const peerId = query.peer === undefined ? undefined : idOfPeer(parts, query.peer)
  const now = parts.clock.now()
  const since = sinceOf(now, query.hours)
  const recent = Math.max(since, bucketStart(now, tiers.hour) - 3_600_000)
  const asked = { source: query.by, peerId } as const
  yield* placeSums(parts.database.query, { ...asked, since, until: recent })
  yield* await parts.recorder.consistently(async () => {
    const found: PlaceSum[][] = []
    // A clock that was set back leaves hours that are still to come; they count.
    const until = Number.MAX_SAFE_INTEGER
    for await (const part of placeSums(parts.database.query, { ...asked, since: recent, until })) found.push(part)
    return query.by === 'endpoint' ? [...found, unwrittenPlaces(parts, { since, peerId })] : found
  })
}

/** Returns the sums that are not stored yet, by the place that peers connected from. */
function unwrittenPlaces(
  { databases, recorder }: GeographyParts,
  { since, peerId }: { since: number; peerId: string | undefined },
): PlaceSum[] {
  if (!databases.has('country') && !databases.has('asn')) return []
  const places: PlaceSum[] = []
  for (const { id, bucket } of recorder.unwritten({ id: peerId })) {
    if (id === null || bucket.start < since) continue
    for (const { host, rx, tx } of bucket.from) {
      const { country, asn, organization } = databases.place(host)
      places.push({ peer_id: id, country, asn, organization, rx_bytes: rx, tx_bytes: tx })
    }
  }
  return places
}

function sinceOf(now: number, hours: number): number {
  const since = bucketStart(now, tiers.hour) - (hours - 1) * 3_600_000
  return since < bucketStart(now, tiers.day) - hourlyFor ? bucketStart(since, tiers.day) : since
}

function idOfPeer({ peers }: GeographyParts, asked: string): string {
  const key = asked.normalize('NFKC').trim().toLowerCase()
  for (const { id, name } of peers()) if (id === key || name.normalize('NFKC').toLowerCase() === key) return id
  throw notFound(`peer ${asked}`)
}

function peerPlaces(parts: GeographyParts): PeerPlaces {
  const { databases } = parts
  const now = parts.clock.now()
  const isAvailable = databases.has('country') || databases.has('asn')
  const items = [...(isAvailable ? parts.peers() : [])].flatMap((peer) => {
    if (peer.activity.endpoint === null) return []
    const place = databases.place(hostOfEndpoint(peer.activity.endpoint))
    const { id, name, interface: on } = peer
    const connected = statusOf(peer, now) === 'active'
    return [{ peer_id: id, name, interface: on, connected, ...place, country_name: countryName(place.country) }]
  })
  return {
    items,
    available: isAvailable,
    reason: reasonOf(parts, 'country'),
    databases: { country: databases.facts('country'), asn: databases.facts('asn') },
  }
}
