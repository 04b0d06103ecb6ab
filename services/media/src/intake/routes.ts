import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { Platform } from '../platforms/schema.ts'
import type { Imports } from './imports.ts'
import type { MediaIntake } from './intake.ts'
import { Import, ImportAnswer, Intake, IntakeCleared } from './schema.ts'

export interface IntakeFeatures {
  readonly intake: MediaIntake
  readonly imports: Imports
}

/** Many downloads at once, and what waits of them. */
export function intakeRoutes({ intake, imports }: IntakeFeatures): Route[] {
  const shared = { tag: 'Lists', path: '/api/imports' } as const
  return [
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Download many addresses',
        description:
          'They wait and become jobs one after another, with the spacing of the settings for each platform. What is there ' +
          'already is not downloaded again. At most 5,000 wait.',
        access: 'submitter',
        limit: '10',
        body: Import,
        maxBodyBytes: 4 * 1024 * 1024,
        success: { status: 200, body: ImportAnswer },
      },
      ({ body }) => imports.run(body),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'Downloads of lists that wait to become jobs',
        access: 'member',
        limit: '60',
        success: { status: 200, body: Intake },
      },
      () => intake.status(),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'Forget what waits to become jobs',
        access: 'submitter',
        limit: '10',
        query: z.object({ platform: Platform.optional() }),
        success: { status: 200, body: IntakeCleared },
      },
      async ({ query }) => ({ ok: true as const, removed: await intake.clear(query.platform) }),
    ),
  ]
}
