import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually, freePort, startWebhookReceiver } from '@hearth/testing'
import { startSites, type Browser } from './in-process.ts'
import { caddyObstacle } from './real-caddy.ts'

const destinations = '/api/v1/notifications/destinations'
const failures = '/api/v1/notifications/failures'
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const rules = {
  classes: null,
  minimum_severity: 'info',
  time_zone: 'Europe/Berlin',
  quiet_hours: null,
  digest: { every: 'message' },
}
const hook = (url: string) => ({ name: 'Hook', is_enabled: true, target: { kind: 'webhook', url, secret }, rules })

interface Destination {
  id: string
  target: Record<string, unknown>
  last_error: string | null
}

async function create(admin: Browser, url: string): Promise<Destination> {
  const { status, body } = await admin.json<Destination>('POST', destinations, { json: hook(url) })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

test(
  'a site that goes down is told once, and once more when it is up',
  { skip: caddyObstacle() ?? false },
  async () => {
    await using receiver = await startWebhookReceiver()
    const environment = { OUTBOUND_ALLOW: '127.0.0.1', PUBLIC_URL: 'https://sites.example.org' }
    await using sites = await startSites(environment, { caddy: true, timers: createFastTimers(30) })
    const admin = await sites.signIn()
    await create(admin, receiver.url)
    const port = await freePort()
    const site = {
      site_name: 'Wiki',
      domains: ['wiki.test'],
      tls: { mode: 'off' },
      upstreams: [{ url: `http://127.0.0.1:${port}` }],
    }
    assert.equal((await admin.json('POST', '/api/sites', { json: site })).status, 201)
    const [down] = await eventually(
      () => receiver.received,
      (received) => received.length > 0,
      { seconds: 60 },
    )
    assert.deepEqual([down?.type, down?.state, down?.title], ['site.down', 'began', 'Site down: Wiki'])
    assert.match(down?.text ?? '', new RegExp(`127\\.0\\.0\\.1:${port}`))
    assert.equal(down?.link, 'https://sites.example.org/sites/1')
    await sites.restart()
    await using server = createServer((_, answer) => answer.end()).listen(port, '127.0.0.1')
    await once(server, 'listening')
    await eventually(receiver.titles, (titles) => titles.includes('Site up: Wiki'), { seconds: 60 })
    assert.deepEqual(receiver.titles(), ['Site down: Wiki', 'Site up: Wiki'])
  },
)

test('destinations and failed messages are for administrators; secrets do not come back', async () => {
  await using receiver = await startWebhookReceiver()
  receiver.answer = (_, response) => response.writeHead(410).end()
  await using sites = await startSites({ OUTBOUND_ALLOW: '127.0.0.1' })
  const admin = await sites.signIn()
  const { id, target } = await create(admin, receiver.url)
  assert.deepEqual(target, { kind: 'webhook', url: receiver.url, has_secret: true })
  await sites.addUser('reader', 'user')
  const reader = await sites.signInAs('reader')
  assert.equal((await reader.json('GET', destinations)).status, 403)
  assert.equal((await reader.json('POST', `${destinations}/${id}/test`)).status, 403)
  const outcome = await admin.json<{ is_delivered: boolean; detail: string }>('POST', `${destinations}/${id}/test`)
  assert.equal(outcome.body.is_delivered, false)
  assert.match(outcome.body.detail, /answered 410/)
  sites.service.app.notifications.reports.notify({ class: 'caddy.drift', title: 'Changed', text: '' })
  interface Failures {
    failures: { id: string; title: string; error: string }[]
  }
  const failed = await eventually(
    async () => (await admin.json<Failures>('GET', failures)).body.failures,
    (list) => list.length === 1,
  )
  assert.equal(failed[0]?.title, 'Changed')
  receiver.answer = (_, response) => void response.end()
  assert.equal((await admin.json('POST', `${failures}/${failed[0]?.id}/send`)).status, 200)
  await eventually(receiver.titles, (titles) => titles.filter((title) => title === 'Changed').length === 2)
  assert.equal((await admin.json('DELETE', `${failures}/${failed[0]?.id}`)).status, 404)
  assert.equal((await admin.json('DELETE', `${destinations}/${id}`)).status, 200)
  assert.equal((await admin.json('PUT', `${destinations}/${id}`, { json: hook(receiver.url) })).status, 404)
})

test('a wrong destination is refused with the member that is wrong', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  const good = hook('https://example.org/hook')
  const wrong: [object, string][] = [
    [{ ...good, target: { ...good.target, url: 'ftp://example.org' } }, 'target.url'],
    [{ ...good, target: { ...good.target, url: 'https://ada:secret@example.org' } }, 'target.url'],
    [{ ...good, target: { ...good.target, secret: 'short' } }, 'target.secret'],
    [{ ...good, target: { kind: 'webhook', url: 'https://example.org' } }, 'target.secret'],
    [{ ...good, rules: { ...rules, time_zone: 'Moon/Sea' } }, 'rules.time_zone'],
    [{ ...good, rules: { ...rules, classes: ['moon'] } }, 'rules.classes'],
    [{ ...good, rules: { ...rules, quiet_hours: { from: '22:00', to: '22:00' } } }, 'rules.quiet_hours.to'],
  ]
  for (const [json, field] of wrong) {
    const { status, body } = await admin.json<{ errors: { field: string }[] }>('POST', destinations, { json })
    assert.equal(status, 422, field)
    assert.equal(body.errors[0]?.field, field)
  }
})
