import { readAnswer, testConformance } from '@hearth/testing/conformance'
import { openapiDocument } from '../src/openapi.ts'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

testConformance(
  {
    // What never ends, signs in or out, turns sign-in on, or would fetch a program.
    excluded: [
      'GET /events',
      'GET /job/{job_id}',
      'GET /api/jobs/{job_id}/events',
      'POST /login',
      'POST /logout',
      'POST /api/settings',
      'POST /api/jobs/remove-all',
      'POST /api/updates/ytdlp',
      // A destination that is made up must not get what happens here.
      'POST /api/notifications/destinations',
    ],
    requests: [
      ['GET', '/api/jobs'],
      ['GET', '/api/jobs?limit=0'],
      ['GET', '/api/jobs/not-there'],
      ['POST', '/api/submit', {}],
      ['DELETE', `/api/share/${'long'.repeat(100)}`],
    ],
    runs: 12,
    expected: ['GET /api/jobs 200', 'GET /api/jobs 400', 'GET /api/jobs/{job_id} 404', 'POST /api/submit 400'],
  },
  async () => {
    await using cleanup = new AsyncDisposableStack()
    const platform = cleanup.use(await startPlatform())
    const media = cleanup.use(
      await startMedia({
        ...knows(platform.host),
        API_TOKENS: 'on',
        UPDATES_BASE_URL: 'http://127.0.0.1:9',
        STEMSVC_BASE_URL: 'http://127.0.0.1:9',
      }),
    )
    const { id } = await media.submit(platform.page('sound.m4a'))
    await media.reach(id, 'analysis_done')
    const resources = cleanup.move()
    return {
      document: await openapiDocument(),
      ids: [id, 'youtube', '0_2000'],
      send: async (method, url, body) =>
        readAnswer(await media.call(method, url, body === undefined ? {} : { json: body })),
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  },
)
