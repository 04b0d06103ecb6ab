import { documentRoutes, type Route } from '@hearth/http'
import { neighbourRoute, portalHeader, serviceHeader, type ListNeighbours } from '@hearth/service'
import { z } from 'zod'
import { version } from './about.ts'
import { route, type Access, type Limit } from './access.ts'
import { ReadyChecks, unavailable } from './problems.ts'
import { reasonNotReady, type Readiness } from './deploy/caddy-status.ts'

/** Functions behind the general endpoints. */
export interface GeneralDependencies {
  readonly readiness: Readiness
  readonly build: { readonly commit: string; readonly date: string }
  readonly document: () => Promise<Record<string, unknown>>
  readonly neighbours: ListNeighbours
  /** Returns the address of the portal; undefined without one. */
  readonly portalAddress: () => string | undefined
}

const Health = z.object({ status: z.literal('ok'), app: z.string(), version: z.string() })
const shared = { method: 'GET', tag: 'General', access: 'always', limit: 'none' } as const
const health = { status: 'ok' as const, app: 'Hearth Sites', version }

/** The endpoints for everybody, signed in or not, set up or not; and the other services, for users. */
export function generalRoutes({ readiness, build, document, neighbours, portalAddress }: GeneralDependencies): Route[] {
  return [
    route(
      {
        ...shared,
        path: '/api/v1/health',
        summary: 'Whether the service answers',
        success: { status: 200, body: Health.meta({ id: 'Health' }) },
      },
      ({ answer }) => {
        answer.header(serviceHeader, 'sites')
        const portal = portalAddress()
        if (portal !== undefined) answer.header(portalHeader, portal)
        return health
      },
    ),
    route(
      {
        ...shared,
        path: '/api/v1/ready',
        summary: 'Whether the service can do its work',
        description: 'Ready: what runs can be told, onboarding is complete, and Caddy’s admin endpoint answers.',
        success: { status: 200, body: Health.extend({ checks: ReadyChecks }).meta({ id: 'Ready' }) },
        errors: [503],
      },
      async () => {
        const checks = await readiness.check()
        if (!Object.values(checks).every(Boolean)) throw unavailable(reasonNotReady(checks), { checks })
        return { ...health, checks }
      },
    ),
    route(
      {
        ...shared,
        path: '/api/v1/build-info',
        summary: 'Which version this is',
        success: {
          status: 200,
          body: z.object({ version: z.string(), commit: z.string(), build_date: z.string() }).meta({ id: 'BuildInfo' }),
        },
      },
      () => ({ version, commit: build.commit, build_date: build.date }),
    ),
    neighbourRoute(neighbours, {
      path: '/api/v1/neighbours',
      tag: 'General',
      access: 'signed-in' satisfies Access,
      limit: '30/min' satisfies Limit,
    }),
    // Shapes alone, nothing of what is stored.
    ...documentRoutes({ ...shared, title: 'Hearth Sites', listsPages: true, document }),
  ]
}
