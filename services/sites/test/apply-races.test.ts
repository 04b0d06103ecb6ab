import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { Revision } from '../src/deploy/schema.ts'
import { startSites, type Browser } from './in-process.ts'
import { askHost, makeSite, sayingSite, type EditAnswer } from './served.ts'

const newestRevision = async (admin: Browser) =>
  (await admin.json<Revision[]>('GET', '/api/revisions?limit=1')).body[0]?.id ?? 0

test('a site deleted while an edit of it waits for Caddy stays deleted, and the edit reports it', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  await makeSite(admin, sayingSite('stays', 'stays'))
  const revision = await newestRevision(admin)
  const going = await makeSite(admin, sayingSite('going', 'going'))
  const edit = admin.json<EditAnswer>('PATCH', `/api/sites/${going.id}`, { json: { respond: { body: 'late' } } })
  await eventually(
    async () => (await admin.json<{ revision: number }>('GET', `/api/sites/${going.id}`)).body.revision,
    (number) => number > going.revision,
    { everyMs: 5 },
  )
  const [answer, returned] = await Promise.all([edit, admin.call('POST', `/api/revisions/${revision}/return`)])
  assert.deepEqual([answer.status, answer.body.code, returned.status], [409, 'removed_meanwhile', 200])
  const { body: list } = await admin.json<EditAnswer['site'][]>('GET', '/api/sites')
  assert.deepEqual(
    list.map(({ site_name: name }) => name),
    ['stays'],
  )
  assert.equal((await askHost(sites.caddyPorts[0], 'going.test')).status, 404)
})
