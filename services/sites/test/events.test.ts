import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readEventStream, type StreamEvent } from '@hearth/testing'
import type { Session } from '../src/accounts/schema.ts'
import type { SiteEvent } from '../src/events/schema.ts'
import { startSites, testPassword, type Browser, type Sites } from './in-process.ts'

let sites: Sites
let admin: Browser
before(async () => {
  sites = await startSites()
  admin = await sites.signIn()
})
after(() => sites[Symbol.asyncDispose]())

async function open(browser: Browser, headers: Record<string, string> = {}) {
  const response = await browser.call('GET', '/api/v1/events', { headers })
  assert.equal(response.status, 200)
  return { response, events: readEventStream(response.body!) }
}

async function next(events: AsyncGenerator<StreamEvent>): Promise<{ id: string; event: SiteEvent }> {
  const { value } = await events.next()
  assert.ok(value !== undefined)
  return { id: value.id ?? '', event: JSON.parse(value.data) as SiteEvent }
}

const change = (maintenance_page: string) =>
  admin
    .call('PATCH', '/api/v1/settings', { json: { maintenance_page } })
    .then(({ status }) => assert.equal(status, 200))

test('a settings change arrives at once, and missed events arrive on reconnecting', async () => {
  const { response, events } = await open(admin)
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
  assert.equal(response.headers.get('cache-control'), 'no-cache, no-transform')
  assert.equal(response.headers.get('x-accel-buffering'), 'no')
  await change('first')
  const { id, event } = await next(events)
  assert.deepEqual(
    [event.type, event.action, event.details],
    ['settings', 'updated', { changed: ['maintenance_page'] }],
  )
  await events.return(undefined)
  await change('second')
  const again = await open(admin, { 'last-event-id': id })
  assert.equal((await next(again.events)).event.action, 'updated')
  await again.events.return(undefined)
  await sites.restart()
  const later = await open(admin, { 'last-event-id': id })
  assert.equal((await next(later.events)).event.type, 'reset')
  await later.events.return(undefined)
})

/** Resolves when the stream ends, whatever else is told before. */
async function ended(events: AsyncIterable<unknown>): Promise<void> {
  for await (const event of events) assert.ok(event !== undefined)
}

test('signing out, a new password and a role change end the streams at once', async () => {
  const { id } = await sites.addUser('grace', 'user')
  const first = await sites.signInAs('grace')
  const out = await open(first)
  assert.equal((await first.call('DELETE', '/api/session')).status, 200)
  await ended(out.events)
  const second = await sites.signInAs('grace')
  const demoted = await open(second)
  const role = { json: { role: 'admin' } }
  assert.equal((await (await sites.signIn()).call('PATCH', `/api/users/${id}`, role)).status, 200)
  await ended(demoted.events)
  const third = await sites.signInAs('grace')
  const elsewhere = await open(await sites.signInAs('grace'))
  const json = { current_password: testPassword, new_password: 'a quite new passphrase' }
  assert.equal((await third.json<Session>('POST', '/api/session/password', { json })).status, 200)
  await ended(elsewhere.events)
})

test('an eleventh stream of a session is refused', async () => {
  const browser = await sites.signInAs('admin')
  const opened = []
  for (let index = 0; index < 10; index += 1) opened.push(await open(browser))
  const refused = await browser.call('GET', '/api/v1/events')
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '5'])
  assert.match(((await refused.json()) as { detail: string }).detail, /Too many event streams/)
  for (const { events } of opened) await events.return(undefined)
})
