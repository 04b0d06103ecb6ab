import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Tables } from '../tables.ts'
import { type FollowedPeer, statusOf } from '../peers/followed-peer.ts'
import type { Caller } from '../access.ts'
import { nameKey } from '../envelope.ts'
import { forbidden, notFound } from '../problems.ts'
import { bucketStart, hostOfEndpoint, tiers } from '../traffic/bucket.ts'
import type { TrafficRecorder } from '../traffic/recorder.ts'
import type { DatabaseKind, Databases } from './databases.ts'
import type { Destinations } from './destinations.ts'
import { addUpCountries, addUpNetworks, type PlaceSum } from './place-sums.ts'
import { countryName } from './place.ts'
import type { CountryTraffic, GeoQuery, NetworkTraffic, PeerPlaces } from './schema.ts'
import { networkNames, placeSums } from './store.ts'

/** Caller of a request; where single peers connect from is for administrators. */
type Viewer = Pick<Caller, 'role'>

/** Traffic by country and by network. */
export type Geography = ReturnType<typeof createGeography>

export interface GeographyDependencies {
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

/** Creates the figures by country and network. */
export function createGeography(dependencies: GeographyDependencies) {
  return {
    async countries(viewer: Viewer, query: GeoQuery): Promise<CountryTraffic> {
      const state = await stateOf(dependencies, query, 'country')
      const found = placesOf(dependencies, viewer, query)
      return { ...(await addUpCountries(found, state.available)), by: query.by, ...state }
    },
    async networks(viewer: Viewer, query: GeoQuery): Promise<NetworkTraffic> {
      const state = await stateOf(dependencies, query, 'asn')
      const found = placesOf(dependencies, viewer, query)
      const namesOf = (asns: number[]) => networkNames(dependencies.database.query, asns)
      return { ...(await addUpNetworks(found, { isAvailable: state.available, namesOf })), by: query.by, ...state }
    },
    /** The places that peers connect from, or did last. */
    peers: () => peerPlaces(dependencies),
  }
}

async function stateOf(dependencies: GeographyDependencies, { by }: GeoQuery, kind: DatabaseKind) {
  const missing = dependencies.databases.has(kind) ? null : reasonOf(dependencies, kind)
  const obstacle = by === 'destination' ? await dependencies.destinations.obstacle() : null
  return {
    available: missing === null && obstacle === null,
    reason: obstacle ?? missing ?? reasonOf(dependencies, kind),
    databases: dependencies.databases.allFacts(),
  }
}

function reasonOf({ databases, updateProblem }: GeographyDependencies, kind: DatabaseKind): string | null {
  return updateProblem(kind) ?? databases.problem(kind)
}

/** Reads the stored sums, with those that the recorder still holds: of this hour or the one before. */
async function* placesOf(
  dependencies: GeographyDependencies,
  viewer: Viewer,
  query: GeoQuery,
): AsyncGenerator<PlaceSum[]> {
  if (query.peer !== undefined && viewer.role !== 'admin')
    throw forbidden('Insufficient permissions: where a single peer connects from is for administrators')
  const peerId = query.peer === undefined ? undefined : idOfPeer(dependencies, query.peer)
  const now = dependencies.clock.now()
  const since = sinceOf(now, query.hours)
  const recent = Math.max(since, bucketStart(now, tiers.hour) - 3_600_000)
  const filter = { source: query.by, peerId } as const
  yield* placeSums(dependencies.database.query, { ...filter, since, until: recent })
  yield* await dependencies.recorder.consistently(async () => {
    const found: PlaceSum[][] = []
    // A clock that was set back leaves hours that are still to come; they count.
    const until = Number.MAX_SAFE_INTEGER
    for await (const part of placeSums(dependencies.database.query, { ...filter, since: recent, until }))
      found.push(part)
    return query.by === 'endpoint' ? [...found, unwrittenPlaces(dependencies, { since, peerId })] : found
  })
}

/** Returns the sums that are not stored yet, by the place that peers connected from. */
function unwrittenPlaces(
  { databases, recorder }: GeographyDependencies,
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

function idOfPeer({ peers }: GeographyDependencies, name: string): string {
  const key = nameKey(name).trim()
  for (const { id, name } of peers()) if (id === key || nameKey(name) === key) return id
  throw notFound(`peer ${name}`)
}

function peerPlaces(dependencies: GeographyDependencies): PeerPlaces {
  const { databases } = dependencies
  const now = dependencies.clock.now()
  const isAvailable = databases.has('country') || databases.has('asn')
  const items = [...(isAvailable ? dependencies.peers() : [])].flatMap((peer) => {
    if (peer.activity.endpoint === null) return []
    const place = databases.place(hostOfEndpoint(peer.activity.endpoint))
    const { id, name, interface: on } = peer
    const connected = statusOf(peer, now) === 'active'
    return [{ peer_id: id, name, interface: on, connected, ...place, country_name: countryName(place.country) }]
  })
  return { items, available: isAvailable, reason: reasonOf(dependencies, 'country'), databases: databases.allFacts() }
}
