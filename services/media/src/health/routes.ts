import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import type { PlatformPauses } from '../pauses/platform-pauses.ts'
import { Platform } from '../platforms/schema.ts'
import { PlatformHealth } from './schema.ts'

export interface HealthFeatures {
  readonly pauses: PlatformPauses
  readonly readHealth: () => Promise<PlatformHealth[]>
}

/** Health of the platforms, and the end of a pause. */
export function healthRoutes({ pauses, readHealth }: HealthFeatures): Route[] {
  const shared = { tag: 'Platforms' } as const
  const success = { status: 200, body: z.array(PlatformHealth) } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/platforms',
        summary: 'How downloads from each platform go',
        description:
          'A platform that refuses this server (robot check, 429) is paused: its downloads wait, one is tried when the pause is ' +
          'over, and each refused try doubles the pause, up to an hour (429) or four.',
        access: 'member',
        limit: '60',
        success,
      },
      () => readHealth(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/platforms/{platform}/try',
        summary: 'Try one download of a paused platform now',
        description: 'Without effect on a platform that is not paused.',
        access: 'submitter',
        limit: '10',
        params: z.object({ platform: Platform }),
        success,
      },
      async ({ params }) => {
        await pauses.tryNow(params.platform)
        return readHealth()
      },
    ),
  ]
}
