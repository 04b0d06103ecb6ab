import { createAuthenticator } from '@hearth/testing'
import { readAnswer, testConformance } from '@hearth/testing/conformance'
import type { Passkey } from '@hearth/accounts/passkey-schema'
import { openapiDocument } from '../src/openapi.ts'
import { startSites } from './in-process.ts'

testConformance(
  {
    // What never ends, or would end the session everything is asked with.
    excluded: [
      'GET /api/v1/events',
      'GET /api/v1/traffic/live',
      'DELETE /api/session',
      'DELETE /api/users/{id}',
      // A destination that is made up must not get what happens here.
      'POST /api/v1/notifications/destinations',
    ],
    runs: 6,
    expected: [
      'GET /api/session 200',
      'GET /api/users 200',
      'GET /api/passkeys 200',
      'GET /api/v1/ready 503',
      'POST /api/passkeys/login/start 200',
      'POST /api/session/recovery-codes 200',
      'GET /openapi.json 200',
    ],
  },
  async () => {
    await using cleanup = new AsyncDisposableStack()
    const sites = cleanup.use(await startSites({ API_TOKENS: 'on' }))
    const admin = await sites.signIn()
    const { id } = await sites.addUser('grace', 'user')
    const headers = { origin: sites.url.replace('127.0.0.1', 'localhost') }
    const start = await admin.json<{ options: object }>('POST', '/api/passkeys/register/start', { headers, json: {} })
    const credential = createAuthenticator(headers.origin).create(start.body.options)
    const made = await admin.json<{ passkey: Passkey }>('POST', '/api/passkeys/register/finish', {
      headers,
      json: { credential },
    })
    const resources = cleanup.move()
    return {
      document: await openapiDocument(),
      ids: [id, made.body.passkey.id, 'none'],
      send: async (method, url, body) =>
        readAnswer(await admin.call(method, url, { headers, ...(body === undefined ? {} : { json: body }) })),
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  },
)
