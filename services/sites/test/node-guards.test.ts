import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import type { Node } from '../src/deploy/nodes/schema.ts'
import type { Onboarding } from '../src/import/schema.ts'
import { startForeignCaddy } from './foreign-caddy.ts'
import { startSites } from './in-process.ts'
import { askHost, makeSite, sayingSite, type EditAnswer } from './served.ts'

test('a server writes its log only below the log directories', async () => {
  await using logs = await temporaryDirectory('logs')
  await using caddy = await startForeignCaddy()
  await using sites = await startSites({ LOG_DIRS: logs.path }, { caddy: true })
  const admin = await sites.signIn()
  const added = await admin.json<Node>('POST', '/api/nodes', { json: { name: 'second', ...caddy.asNode } })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const path = `/api/nodes/${added.body.id}`
  for (const file of [
    '/etc/cron.d/hearth.log',
    `${logs.path}/../passwd.log`,
    `${logs.path}x/a.log`,
    `${logs.path}//a.log`,
    `${logs.path}/{env.HOME}.log`,
    `${logs.path}/a\n.log`,
    `${logs.path}/authorized_keys`,
    `${logs.path}/.log`,
  ])
    for (const [method, place, json] of [
      ['PATCH', path, { log_file: file }],
      ['POST', '/api/nodes', { name: 'third', ...caddy.asNode, log_file: file }],
    ] as const) {
      const { status, body } = await admin.json<EditAnswer>(method, place, { json })
      assert.deepEqual([status, body.errors?.[0]?.field], [422, 'log_file'], `${method} ${file}`)
    }
  const good = join(logs.path, 'access.log')
  assert.equal((await admin.call('PATCH', path, { json: { log_file: good } })).status, 200)
  assert.equal((await admin.call('POST', `${path}/onboard`, { json: {} })).status, 200)
  await makeSite(admin, sayingSite('logged', 'x'))
  assert.equal((await askHost(caddy.httpPort, 'logged.test')).text, 'x')
  await eventually(
    () => readFile(good, 'utf8'),
    (text) => text.includes('logged.test'),
  )
})

test('onboarding again does not replace a managed server with another one', async () => {
  await using caddy = await startForeignCaddy()
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const addressOf = async () => (await admin.json<Onboarding>('GET', '/api/caddy/onboarding')).body.admin_url
  const before = await addressOf()
  for (const admin_url of [caddy.adminUrl, 'http://127.0.0.1:9']) {
    const { status, body } = await admin.json<EditAnswer>('POST', '/api/caddy/onboard', { json: { admin_url } })
    assert.deepEqual([status, body.code], [409, 'already_managed'])
  }
  assert.equal(await addressOf(), before)
  assert.equal((await admin.call('POST', '/api/caddy/onboard', { json: { admin_url: before } })).status, 200)
})

test('a TCP admin endpoint causes a warning, and a stronger one on versions exposed to web pages', async () => {
  await using caddy = await startForeignCaddy({ admin: 'tcp' })
  await using sites = await startSites(caddy.environment)
  const admin = await sites.signIn()
  const warnings = async () => {
    const [seen, { body }] = await Promise.all([
      admin.json<Onboarding>('GET', '/api/caddy/onboarding'),
      admin.json<Node>('GET', '/api/nodes/1'),
    ])
    assert.deepEqual(seen.body.warnings, body.warnings)
    return body.warnings
  }
  const [port, version] = await warnings()
  assert.match(port ?? '', /unix socket is safer/)
  assert.match(version ?? '', /CVE-2026-27589, mended in 2\.11\.1/)
  await using own = await startSites({}, { caddy: true })
  const safe = await (await own.signIn()).json<Node>('GET', '/api/nodes/1')
  assert.deepEqual(safe.body.warnings, [])
})
