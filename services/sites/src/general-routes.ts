import { docsFiles, printDocs, type Route } from '@hearth/http'
import { z } from 'zod'
import { route } from './access.ts'
import { ReadyChecks, unavailable } from './problems.ts'
import { reasonNotReady, type Readiness } from './readiness.ts'
import { version } from './version.ts'

/** What the service says about itself. */
export interface GeneralParts {
  readonly readiness: Readiness
  readonly build: { readonly commit: string; readonly date: string }
  readonly document: () => Record<string, unknown>
}

const Health = z.object({ status: z.literal('ok'), app: z.string(), version: z.string() })
const shared = { method: 'GET', tag: 'General', access: 'always', limit: 'none' } as const
const health = { status: 'ok' as const, app: 'Hearth Sites', version }

/** What anybody may ask, signed in or not, set up or not. */
export function generalRoutes({ readiness, build, document }: GeneralParts): Route[] {
  return [
    route(
      {
        ...shared,
        path: '/api/v1/health',
        summary: 'Whether the service answers',
        success: { status: 200, body: Health.meta({ id: 'Health' }) },
      },
      () => health,
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
    ...documentRoutes(document),
  ]
}

/** The description of the API: shapes alone, nothing of what is stored. */
function documentRoutes(document: GeneralParts['document']): Route[] {
  const described = { ...shared, compressed: true } as const
  const files = docsFiles('Hearth Sites', '/openapi.json').map(({ path, media, content }) =>
    route(
      {
        ...described,
        path,
        summary: `Interactive description: ${path}`,
        success: { status: 200, media, description: 'A file of the description' },
        ...(path === '/docs' ? {} : { hidden: true as const }),
      },
      () => ({ content: content() }),
    ),
  )
  const printed = () => printDocs(document(), '/redoc/style.css')
  return [
    ...files,
    route(
      {
        ...described,
        path: '/redoc',
        summary: 'The description as one page to read',
        success: { status: 200, media: 'text/html', description: 'The page' },
      },
      () => ({ content: printed().html }),
    ),
    route(
      {
        ...described,
        path: '/redoc/style.css',
        summary: 'Looks of the description',
        hidden: true,
        success: { status: 200, media: 'text/css', description: 'CSS' },
      },
      () => ({ content: printed().css }),
    ),
    route(
      {
        ...described,
        path: '/openapi.json',
        summary: 'This description',
        success: { status: 200, body: z.record(z.string(), z.unknown()).meta({ id: 'OpenApiDocument' }) },
      },
      () => document(),
    ),
  ]
}
