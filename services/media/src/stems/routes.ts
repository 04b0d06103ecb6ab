import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { deliver } from '../delivery/deliver.ts'
import { JobPath } from '../jobs/schema.ts'
import { StemAccount, StemAnswer, StemQuery, StemResult, StemStatus, StemStatusQuery } from './schema.ts'
import type { StemAccountStore } from './stem-account.ts'
import type { Stems } from './stems.ts'

/** Routes for the account at the stem service. */
export function stemAccountRoutes({ stemAccount: account }: { stemAccount: StemAccountStore }): Route[] {
  const shared = { tag: 'Stems', access: 'member' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/stemsvc/status',
        summary: 'Whether stems can be made, and how many minutes are left',
        limit: '30',
        query: StemStatusQuery,
        success: { status: 200, body: StemStatus },
      },
      ({ query }) => account.status(query.force_refresh),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/stemsvc/auth/activation-key',
        access: 'account',
        summary: 'Store an activation key after the service accepted it',
        limit: '5',
        body: StemAccount,
        success: { status: 200, body: StemAnswer },
        errors: [409, 502, 503, 504],
      },
      async ({ body }) => {
        await account.signIn(body)
        return { ok: true as const, message: 'The key is good and stored' }
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/stemsvc/auth/logout',
        access: 'account',
        summary: 'Forget the key',
        limit: '10',
        success: { status: 200, body: StemAnswer },
      },
      async () => {
        await account.signOut()
        return { ok: true as const, message: 'The key is forgotten' }
      },
    ),
  ]
}

/** Routes for separations. */
export function stemRoutes({ stems, artifacts }: { stems: Stems; artifacts: ArtifactStore }): Route[] {
  const shared = { tag: 'Stems', params: JobPath, query: StemQuery } as const
  return [
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/stemsvc/{job_id}',
        summary: 'Separate vocals and accompaniment, and wait for the result',
        description: 'The event streams carry the progress. Stems that exist already cost nothing.',
        access: 'submitter',
        limit: '5',
        success: { status: 200, body: StemResult },
        errors: [404, 409, 502, 503, 504],
      },
      ({ params, query }) => stems.separate(params.job_id, query),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/stemsvc/download/{job_id}',
        summary: 'A stem, as MP3',
        access: 'page',
        limit: '10',
        success: { status: 200, media: 'audio/mpeg', description: 'MP3' },
        also: [206, 304],
        errors: [404, 416],
      },
      async (call) => {
        const { name, fileName } = await stems.find(call.params.job_id, call.query)
        return deliver(call, { artifacts, jobId: call.params.job_id, name, fileName })
      },
    ),
  ]
}
