import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as sendRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { hashToken } from '@hearth/credentials'
import { createManualClock } from '@hearth/runtime'
import { createVisitorKeys } from '../accounts/visitor-keys.ts'
import { readPageBody, readPageRequest, type PageRequest } from './portal-page-request.ts'
import type { PortalSnapshot } from './portal-state.ts'

const clock = createManualClock(1_900_000_000_000)
const visitors = createVisitorKeys(new Uint8Array(32), clock)
const user = { id: 'ann', username: 'ann', email: null, groups: new Set<string>() }

/** A portal in which the session with this key lasts. */
function snapshotWith(key: string): PortalSnapshot {
  const session = { id: 's1', user, provedAt: clock.now(), provedBy: 'password', endsAt: clock.now() + 60_000 } as const
  return {
    host: 'auth.test',
    sessions: new Map([['s1', session]]),
    sessionIds: new Map([[hashToken(key), 's1']]),
  } as unknown as PortalSnapshot
}

/** Sends a form whose body arrives after `meanwhile`; returns the body as it was read, or what was thrown. */
async function post(meanwhile: PortalSnapshot): Promise<unknown> {
  let current = snapshotWith('key')
  const begun = Promise.withResolvers<PageRequest>()
  const server = createServer((request, response) => {
    const page = readPageRequest({ request, response }, current, { visitors, clock, state: { current: () => current } })
    if (page === undefined) begun.reject(new Error('no page'))
    else begun.resolve(page)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const browserKey = visitors.create()
  const headers = {
    'hearth-authority': 'auth.test',
    'content-type': 'application/x-www-form-urlencoded',
    cookie: `__Host-hearth_portal=key; __Host-hearth_portal_browser=${browserKey}`,
  }
  const { port } = server.address() as AddressInfo
  const sending = sendRequest({ host: '127.0.0.1', port, method: 'POST', headers })
  sending.flushHeaders()
  const page = await begun.promise
  assert.equal(page.session?.id, 's1')
  current = meanwhile
  sending.end(new URLSearchParams({ csrf: page.csrfToken, decision: 'allow' }).toString())
  const read = await readPageBody(page).catch((error: unknown) => error)
  page.response.end()
  const [answer] = (await once(sending, 'response')) as [IncomingMessage]
  answer.resume()
  server.close()
  return read
}

test('the form of a session is read', async () => {
  assert.equal(((await post(snapshotWith('key'))) as { decision: string }).decision, 'allow')
})

test('a form that arrives slowly counts no more once its session is over', async () => {
  const ended = { ...snapshotWith('key'), sessions: new Map(), sessionIds: new Map() }
  assert.equal(((await post(ended)) as { status?: number }).status, 401)
  assert.equal(((await post(snapshotWith('another key'))) as { status?: number }).status, 401, 'it has another key')
})
