import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, ok } from '../envelope.ts'
import type { Geography } from './geography.ts'
import { CountryTraffic, GeoQuery, NetworkTraffic, PeerPlaces } from './schema.ts'

const shared = { method: 'GET', tag: 'Metrics', limit: 'counted' } as const
const sums = {
  ...shared,
  description:
    'Without a database, and for destinations without the kernel’s accounting, there are no items and `reason` says why.',
  access: 'signed-in',
  query: GeoQuery,
  errors: [403, 404],
} as const

/** Routes of traffic by country and network. */
export function geographyRoutes(geography: Geography): Route[] {
  return [
    route(
      {
        ...sums,
        path: '/api/metrics/geo/countries',
        summary: 'Traffic by country',
        success: { status: 200, body: dataEnvelope(CountryTraffic) },
      },
      async ({ caller, query }) => ok(await geography.countries(caller, query)),
    ),
    route(
      {
        ...sums,
        path: '/api/metrics/geo/asn',
        summary: 'Traffic by network',
        success: { status: 200, body: dataEnvelope(NetworkTraffic) },
      },
      async ({ caller, query }) => ok(await geography.networks(caller, query)),
    ),
    route(
      {
        ...shared,
        path: '/api/metrics/geo/peers',
        summary: 'Where peers connect from, for a map',
        access: 'admin',
        success: { status: 200, body: dataEnvelope(PeerPlaces) },
      },
      () => ok(geography.peers()),
    ),
  ]
}
