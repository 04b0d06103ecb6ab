import type { Route } from '@hearth/http'
import { route, type Caller } from '../access.ts'
import type { Role } from '../accounts/schema.ts'
import { notFound, tooMany } from '../problems.ts'
import type { LiveTail } from './live-tail.ts'
import {
  LastSeen,
  LiveQuery,
  LiveRequest,
  SiteIdParams,
  SiteTraffic,
  TrafficOverview,
  TrafficQuery,
  UpstreamStates as UpstreamList,
} from './schema.ts'
import type { Traffic } from './traffic.ts'
import { type CheckUpstreams, UpstreamCheckRequest, UpstreamChecks } from './upstreams/check-upstreams.ts'
import type { UpstreamStates } from './upstreams/upstream-states.ts'

/** Functions behind the endpoints. */
export interface TrafficFeature {
  readonly traffic: Traffic
  readonly live: LiveTail
  readonly upstreams: UpstreamStates
  /** Returns true if there is such a site. */
  readonly hasSite: (id: number) => Promise<boolean>
  /** The role a caller has by now; undefined when the session or the token is over. */
  readonly roleNow: (caller: Caller) => Promise<Role | undefined>
}

const tag = 'Traffic'

/** Routes of traffic from the access log, and of the state of upstreams. */
export function trafficRoutes(feature: TrafficFeature): Route[] {
  return [...countRoutes(feature), ...liveRoutes(feature)]
}

function countRoutes({ traffic, upstreams, hasSite }: TrafficFeature): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/v1/traffic',
        tag,
        summary: 'Requests of all sites',
        access: 'signed-in',
        limit: '60/min',
        query: TrafficQuery,
        success: { status: 200, body: TrafficOverview },
      },
      ({ query }) => traffic.overview(query.range),
    ),
    route(
      {
        method: 'GET',
        path: '/api/v1/traffic/last-seen',
        tag,
        summary: 'When each site was last asked for something',
        access: 'signed-in',
        limit: '60/min',
        success: { status: 200, body: LastSeen },
      },
      () => traffic.lastSeen(),
    ),
    route(
      {
        method: 'GET',
        path: '/api/v1/sites/{id}/traffic',
        tag,
        summary: 'Requests of one site, with what is asked for most and by whom',
        access: 'admin',
        limit: '60/min',
        params: SiteIdParams,
        query: TrafficQuery,
        success: { status: 200, body: SiteTraffic },
        errors: [404],
      },
      async ({ params, query }) => {
        if (!(await hasSite(params.id))) throw notFound('site')
        return await traffic.site(params.id, query.range)
      },
    ),
    route(
      {
        method: 'GET',
        path: '/api/v1/traffic/upstreams',
        tag,
        summary: 'The servers behind the sites',
        description:
          'What Caddy counts, and whether an empty connection succeeds. Only servers that sites declare are connected to; an answer is at most 15 seconds old.',
        access: 'admin',
        limit: '30/min',
        success: { status: 200, body: UpstreamList },
      },
      async () => ({ upstreams: await upstreams.list() }),
    ),
  ]
}

function liveRoutes({ live, roleNow }: TrafficFeature): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/v1/traffic/live',
        tag,
        summary: 'Requests as they happen',
        description:
          'Server-sent events; each `data` is a LiveRequest. Query strings and headers are never shown. At most 50 requests a second are, and 20 can look on.',
        access: 'admin',
        limit: '20/min',
        query: LiveQuery,
        success: {
          status: 200,
          media: 'text/event-stream',
          description: 'Events until either side closes',
          schema: LiveRequest,
        },
      },
      async ({ caller, query, answer }) => {
        const stream = await live.subscribe({
          owner: caller.key,
          siteId: query.site_id,
          isAllowed: async () => (await roleNow(caller)) === 'admin',
        })
        if (stream === undefined) throw tooMany('Too many look on already; close one first', 5)
        answer.header('cache-control', 'no-cache, no-transform')
        answer.header('x-accel-buffering', 'no')
        return { content: stream }
      },
    ),
  ]
}

/** Checking upstreams before a site is saved. */
export function upstreamRoutes(check: CheckUpstreams): Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/api/sites/check-upstreams',
        tag: 'Sites',
        access: 'editor',
        summary: 'Check whether upstreams accept connections',
        description:
          'Opens an empty connection to each address and closes it. Addresses that a site must not have are not connected to. Nothing is changed.',
        limit: '60/min',
        body: UpstreamCheckRequest,
        success: { status: 200, body: UpstreamChecks },
      },
      async ({ body }) => ({ upstreams: await check(body.urls) }),
    ),
  ]
}
