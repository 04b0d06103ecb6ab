import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { Onboarding, OnboardResult } from '../src/import/schema.ts'
import { saying, startForeignCaddy } from './foreign-caddy.ts'
import { startSites, type Browser } from './in-process.ts'
import { askHost, makeSite, sayingSite, type EditAnswer } from './served.ts'

interface Ready {
  readonly detail?: string
  readonly checks: Record<string, boolean>
}

const step = async (admin: Browser) => {
  const { body } = await admin.json<Onboarding>('GET', '/api/caddy/onboarding')
  return [body.step, body.complete, body.reachable, body.is_blank]
}

const checks = async (browser: Browser) => {
  const { status, body } = await browser.json<Ready>('GET', '/api/v1/ready')
  return [status, body.checks]
}

for (const kind of ['unix', 'tcp'] as const)
  test(`an empty Caddy behind ${kind} is onboarded step by step and keeps its admin endpoint`, async () => {
    await using caddy = await startForeignCaddy({ admin: kind })
    await using sites = await startSites(caddy.environment)
    assert.deepEqual(await checks(sites.browser()), [503, { runtime: true, onboarding: false, admin_api: true }])
    const admin = await sites.signIn()
    assert.deepEqual(await step(admin), ['decision', false, true, true])
    const early = await admin.json<EditAnswer>('POST', '/api/sites', { json: sayingSite('early', 'early') })
    assert.deepEqual([early.status, early.body.code], [409, 'onboarding_required'])
    const taken = await admin.json<OnboardResult>('POST', '/api/caddy/onboard')
    assert.deepEqual([taken.status, taken.body.status, taken.body.synced], [200, 'onboarded', true])
    assert.deepEqual(await step(admin), ['done', true, true, false])
    assert.deepEqual(await checks(sites.browser()), [200, { runtime: true, onboarding: true, admin_api: true }])
    await makeSite(admin, sayingSite('first', 'first'))
    assert.equal((await askHost(caddy.httpPort, 'first.test')).text, 'first')
    assert.equal((await askHost(caddy.httpPort, 'early.test')).status, 404)
    const { admin: block } = (await caddy.client.readConfig()).config as { admin: object }
    assert.deepEqual(block, caddy.adminBlock)
    const again = await admin.json<OnboardResult>('POST', '/api/caddy/onboard')
    assert.deepEqual([again.status, again.body.status], [200, 'already_managed'])
  })

test('a Caddy that serves something is replaced only after two confirmations', async () => {
  await using caddy = await startForeignCaddy({ admin: 'tcp', routes: [saying('old.test', 'from the file')] })
  await using sites = await startSites(caddy.environment)
  const admin = await sites.signIn()
  const { body: before } = await admin.json<Onboarding>('GET', '/api/caddy/onboarding')
  assert.deepEqual([before.step, before.is_blank, before.hosts], ['decision', false, ['old.test']])
  for (const [json, code] of [
    [undefined, 'mode_required'],
    [{ mode: 'replace' }, 'confirmation_required'],
  ] as const) {
    const { status, body } = await admin.json<{ code: string }>('POST', '/api/caddy/onboard', { json })
    assert.deepEqual([status, body.code], [409, code])
  }
  assert.equal((await askHost(caddy.httpPort, 'old.test')).text, 'from the file')
  const json = { mode: 'replace', confirm_exclusive: true }
  const taken = await admin.json<OnboardResult>('POST', '/api/caddy/onboard', { json })
  assert.deepEqual([taken.status, taken.body.snapshot_sha256], [200, before.running_sha256])
  assert.equal((await askHost(caddy.httpPort, 'old.test')).status, 404)
  const { admin: block } = (await caddy.client.readConfig()).config as { admin: object }
  assert.deepEqual(block, caddy.adminBlock)
})

test('an external Caddy restarted with its own file serves the sites again automatically', async () => {
  await using caddy = await startForeignCaddy({ routes: [saying('old.test', 'from the file')] })
  await using sites = await startSites(caddy.environment)
  const admin = await sites.signIn()
  const json = { mode: 'replace', confirm_exclusive: true }
  assert.equal((await admin.call('POST', '/api/caddy/onboard', { json })).status, 200)
  await makeSite(admin, sayingSite('ours', 'ours'))
  await caddy.kill()
  assert.deepEqual(await checks(sites.browser()), [503, { runtime: true, onboarding: true, admin_api: false }])
  await caddy.start()
  assert.equal((await askHost(caddy.httpPort, 'old.test')).text, 'from the file')
  // The look that the service takes every half minute.
  await sites.service.app.deploy.drift.check()
  await eventually(
    () => askHost(caddy.httpPort, 'ours.test'),
    ({ text }) => text === 'ours',
  )
  assert.deepEqual((await admin.json('GET', '/api/caddy/drift')).body, [])
  assert.equal((await checks(sites.browser()))[0], 200)
})

test('while Caddy is down an edit gets 503 and is not stored; afterwards nothing has changed', async () => {
  await using caddy = await startForeignCaddy()
  await using sites = await startSites(caddy.environment)
  const admin = await sites.signIn()
  assert.equal((await admin.call('POST', '/api/caddy/onboard')).status, 200)
  const site = await makeSite(admin, sayingSite('kept', 'as it was'))
  await caddy.kill()
  const edits = [
    await admin.json<EditAnswer>('PATCH', `/api/sites/${site.id}`, { json: { respond: { body: 'lost' } } }),
    await admin.json<EditAnswer>('POST', '/api/sites', { json: sayingSite('new', 'new') }),
    await admin.json<EditAnswer>('DELETE', `/api/sites/${site.id}`),
  ]
  for (const { status, body } of edits) assert.deepEqual([status, body.code], [503, 'admin_unreachable'])
  const { body: list } = await admin.json<EditAnswer['site'][]>('GET', '/api/sites')
  assert.deepEqual(
    list.map(({ site_name: name, revision, respond }) => [name, revision, respond?.body]),
    [['kept', site.revision, 'as it was']],
  )
  await caddy.start()
  await sites.service.app.deploy.drift.check()
  await eventually(
    () => askHost(caddy.httpPort, 'kept.test'),
    ({ text }) => text === 'as it was',
  )
})

test('two services that manage one Caddy do not overwrite each other unless told to', async () => {
  await using caddy = await startForeignCaddy()
  await using one = await startSites(caddy.environment)
  await using other = await startSites(caddy.environment)
  const [first, second] = [await one.signIn(), await other.signIn()]
  assert.equal((await first.call('POST', '/api/caddy/onboard')).status, 200)
  const site = await makeSite(first, sayingSite('shared', 'the first'))
  const taking = await second.json<{ code: string }>('POST', '/api/caddy/onboard')
  assert.deepEqual([taking.status, taking.body.code], [409, 'mode_required'])
  const json = { mode: 'replace', confirm_exclusive: true }
  assert.equal((await second.call('POST', '/api/caddy/onboard', { json })).status, 200)
  await makeSite(second, sayingSite('shared', 'the second'))
  const edit = { json: { respond: { body: 'the first again' } } }
  const refused = await first.json<EditAnswer>('PATCH', `/api/sites/${site.id}`, edit)
  assert.deepEqual([refused.status, refused.body.code], [409, 'drift'])
  assert.equal((await askHost(caddy.httpPort, 'shared.test')).text, 'the second')
  assert.equal((await first.call('POST', '/api/caddy/drift/restore')).status, 200)
  assert.equal((await askHost(caddy.httpPort, 'shared.test')).text, 'the first')
  await other.service.app.deploy.drift.check()
  assert.equal((await second.json<unknown[]>('GET', '/api/caddy/drift')).body.length, 1)
  assert.equal(other.service.app.deploy.apply.isBusy, false)
  assert.equal((await askHost(caddy.httpPort, 'shared.test')).text, 'the first')
})

test('what a Caddy serves is imported on request and stays served', async () => {
  await using caddy = await startForeignCaddy({
    routes: [
      saying('old.test', 'from the file'),
      { match: [{ host: ['odd.test'] }], handle: [{ handler: 'templates' }] },
    ],
  })
  await using sites = await startSites({ ...caddy.environment, CADDY_BIND: '127.0.0.1' })
  const admin = await sites.signIn()
  const json = { mode: 'import', confirm_exclusive: true }
  const taken = await admin.json<OnboardResult>('POST', '/api/caddy/onboard', { json })
  assert.deepEqual([taken.status, taken.body.imported], [200, 1], JSON.stringify(taken.body))
  assert.ok(
    taken.body.left_out.some(({ message }) => message.includes('templates')),
    JSON.stringify(taken.body.left_out),
  )
  assert.equal((await askHost(caddy.httpPort, 'old.test')).text, 'from the file')
  const list = await admin.json<{ site_name: string; apply_state: string }[]>('GET', '/api/sites')
  assert.deepEqual(
    list.body.map(({ site_name: name, apply_state: state }) => [name, state]),
    [['old.test', 'applied']],
  )
})
