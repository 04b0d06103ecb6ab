import type { Route } from '@hearth/http'
import { toIsoString } from '@hearth/runtime'
import { route } from '../../access.ts'
import { conflict, notFound, Problem, tooMany } from '../../problems.ts'
import type { SiteHosts } from '../site-host.ts'
import type { ScanRow } from '../tables.ts'
import type { Registration } from './registration.ts'
import {
  OptIn,
  OptInParams,
  Registered,
  RegisterRequest,
  RegistrationStatus,
  ScanList,
  ScanRequest,
  ScanView,
} from './schema.ts'
import { ScanTooSoon, type OptIns, type Scans } from './scans.ts'
import { SslLabsError } from './ssl-labs-client.ts'

/** Functions behind the endpoints. */
export interface SslLabsFeature {
  readonly registration: Registration
  readonly scans: Scans
  readonly optIns: OptIns
  readonly hosts: SiteHosts
  /** Returns true if scans are on for the whole service. */
  readonly isOn: () => boolean
  readonly hasSite: (id: number) => Promise<boolean>
}

const shared = { tag: 'Certificates', access: 'admin' } as const

/** The endpoints of SSL Labs: registration and scans. */
export function sslLabsRoutes(feature: SslLabsFeature): Route[] {
  return [...registrationRoutes(feature.registration), ...scanRoutes(feature), optInRoute(feature)]
}

function registrationRoutes(registration: Registration): Route[] {
  const answer = { status: 200, body: RegistrationStatus } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/v1/ssllabs/registration-status',
        summary: 'Whether we are registered with SSL Labs',
        limit: '30/min',
        success: answer,
      },
      () => registration.status(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/v1/ssllabs/refresh-status',
        summary: 'Ask SSL Labs whether we are registered',
        limit: '10/min',
        success: answer,
      },
      () => registration.refresh(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/v1/ssllabs/register',
        summary: 'Register with SSL Labs',
        description:
          'Sends names, organisation and e-mail address to SSL Labs and keeps them in the settings. Without a body those of the settings are sent.',
        limit: '3/min 3/hour',
        body: RegisterRequest.optional(),
        success: { status: 200, body: Registered },
        errors: [400, 409, 502],
      },
      async ({ body }) => {
        const register = registration.register(body ?? undefined, body?.accept_free_mail ?? false)
        const { message, masked_email } = await register.catch((error: unknown) => {
          throw error instanceof SslLabsError ? new Problem(502, error.message) : error
        })
        return { success: true, message, masked_email }
      },
    ),
  ]
}

function scanRoutes(feature: SslLabsFeature): Route[] {
  const { scans, optIns, isOn } = feature
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/v1/ssllabs/scans',
        summary: 'Scans by SSL Labs, and the sites that want them',
        limit: '60/min',
        success: { status: 200, body: ScanList },
      },
      async () => ({
        enabled: isOn(),
        site_ids: [...(await optIns.list())].toSorted((one, other) => one - other),
        scans: (await scans.list()).map(scanView),
      }),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/v1/ssllabs/scans',
        summary: 'Have a host scanned by SSL Labs',
        description: 'Needs a registration, the setting `grade_source` ssllabs, and the consent of the site.',
        limit: '5/min',
        body: ScanRequest,
        success: { status: 202, body: ScanView },
        errors: [404, 409],
      },
      async ({ body }) => scanView(await requested(feature, body)),
    ),
  ]
}

async function requested(
  { scans, hosts, isOn }: SslLabsFeature,
  { host, fresh }: { host: string; fresh: boolean },
): Promise<ScanRow> {
  const site = (await hosts.list()).find((candidate) => candidate.host === host.toLowerCase())
  if (site === undefined) throw notFound('host with a certificate')
  if (!isOn()) throw conflict('Grades by SSL Labs are off; see the setting grade_source', 'ssllabs_off')
  if (!site.mayBeScanned) throw conflict('The site does not let SSL Labs hear its names', 'ssllabs_not_allowed')
  try {
    return await scans.request({ host: site.host, siteId: site.siteId, isFresh: fresh })
  } catch (error) {
    if (error instanceof ScanTooSoon)
      throw tooMany(`A new scan of the host is possible in ${error.seconds} s`, error.seconds)
    throw error
  }
}

function optInRoute({ optIns, hasSite }: SslLabsFeature): Route {
  return route(
    {
      ...shared,
      method: 'PUT',
      path: '/api/v1/ssllabs/sites/{id}',
      summary: 'Whether SSL Labs may hear the names of a site',
      limit: '30/min',
      params: OptInParams,
      body: OptIn,
      success: { status: 200, body: OptIn },
      errors: [404],
    },
    async ({ params, body }) => {
      if (!(await hasSite(params.id))) throw notFound('site')
      await optIns.set(params.id, body.enabled)
      return body
    },
  )
}

const scanView = ({ host, site_id, state, grade, message, requested_at, finished_at }: ScanRow): ScanView => ({
  host,
  site_id,
  state,
  grade,
  message,
  requested_at: new Date(requested_at).toISOString(),
  finished_at: toIsoString(finished_at),
})
