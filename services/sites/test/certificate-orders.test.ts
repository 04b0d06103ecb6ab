import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createPostgresDatabase, eventually, postgresObstacle, runCommand } from '@hearth/testing'
import type { DnsProviderList, OrderView } from '../src/acme/schema.ts'
import { certificateAt, openOrderPlace, orderObstacle } from './order-place.ts'
import { tsigKey } from './name-server.ts'
import type { z } from 'zod'

const isDone = ({ state, records }: OrderView) => state === 'valid' && records.length === 0

describe('certificates by DNS', { skip: (await orderObstacle()) ?? false }, () => {
  test('a wildcard is ordered, served, renewed, and deleted with its order', async () => {
    await using place = await openOrderPlace()
    const { admin, sites, names } = place
    const provider = await place.addProvider()
    const domains = ['example.org', '*.example.org']
    const order = await place.order({ name: 'House', domains, provider_id: provider.id })
    assert.deepEqual([order.state, order.step, order.certificate_id], ['working', 'account', null])
    const done = await place.until(order.id, isDone)
    assert.deepEqual(
      done.history.map(({ text }) => text.replace(/until .*/, 'until')),
      [
        'The certificate is ordered',
        'The account at the authority is ready',
        'The order for example.org, *.example.org is placed',
        'To be proved by DNS: example.org, example.org',
        'TXT record added: _acme-challenge.example.org in the zone example.org',
        'The record is visible at ns1.example.org',
        'The authority checks the records',
        'All names are proved',
        'The certificate is being issued',
        'Issued for example.org, *.example.org, valid until',
      ].filter((text) => done.history.some((entry) => entry.text === text) || !text.startsWith('The authority checks')),
    )
    assert.deepEqual(await names.txt('_acme-challenge.example.org'), [])
    const tls = { mode: 'custom', certificate_id: done.certificate_id }
    const site = { site_name: 'All', domains: ['*.example.org'], kind: 'respond', respond: { body: 'Hello' }, tls }
    const made = await admin.json<{ site: { id: number } }>('POST', '/api/sites', { json: site })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const [, port] = sites.caddyPorts
    const first = await certificateAt(port, 'wiki.example.org')
    assert.equal(first.names, 'DNS:example.org, DNS:*.example.org')
    assert.equal((await admin.call('POST', `/api/certificate-orders/${order.id}/run`)).status, 200)
    await eventually(
      () => certificateAt(port, 'wiki.example.org'),
      ({ serial }) => serial !== first.serial,
    )
    const { code, stdout } = await runCommand(['sites', 'export'], { ...place.environment, DATA_DIR: sites.folder })
    assert.equal(code, 0)
    assert.match(stdout, /mode: custom\n +certificate: House\n/, 'files refer to it by its name')
    const renewed = await place.until(order.id, isDone)
    assert.equal(renewed.certificate_id, done.certificate_id)
    const change = { json: { domains: ['*.example.org', '*.apps.example.org'] } }
    assert.equal((await admin.call('PATCH', `/api/certificate-orders/${order.id}`, change)).status, 200)
    await eventually(
      () => certificateAt(port, 'wiki.example.org'),
      ({ names: served }) => served.includes('*.apps.example.org'),
    )
    await place.until(order.id, isDone)
    const last = await certificateAt(port, 'wiki.example.org')
    await place.pebble.stop()
    assert.equal((await admin.call('POST', `/api/certificate-orders/${order.id}/run`)).status, 200)
    const failed = await place.until(order.id, ({ problem }) => problem !== null)
    assert.deepEqual([failed.problem?.code, failed.state], ['authority-away', 'waiting'])
    assert.deepEqual(await certificateAt(port, 'wiki.example.org'), last, 'the certificate in use stays')
    const refused = await admin.json<{ code: string }>('DELETE', `/api/certificate-orders/${order.id}`)
    assert.deepEqual([refused.status, refused.body.code], [409, 'certificate_in_use'])
    const own = await admin.json<{ code: string }>('DELETE', `/api/certificates/${done.certificate_id}`)
    assert.equal(own.status, 409)
    assert.equal((await admin.call('DELETE', `/api/sites/${made.body.site.id}`)).status, 200)
    assert.equal((await admin.call('DELETE', `/api/dns-providers/${provider.id}`)).status, 409)
    assert.equal((await admin.call('DELETE', `/api/certificate-orders/${order.id}`)).status, 200)
    const left = await admin.json<{ certificates: unknown[] }>('GET', '/api/certificates')
    assert.deepEqual(left.body.certificates, [])
    assert.equal((await admin.call('DELETE', `/api/dns-providers/${provider.id}`)).status, 200)
  })

  test(
    'an order is issued on PostgreSQL, by an authority that refuses some nonces',
    { skip: postgresObstacle() },
    async () => {
      const environment = { DATABASE_URL: await createPostgresDatabase() }
      await using place = await openOrderPlace({ environment, pebbleEnvironment: { PEBBLE_WFE_NONCEREJECT: '15' } })
      const provider = await place.addProvider()
      const order = await place.order({ name: 'House', domains: ['*.example.org'], provider_id: provider.id })
      const done = await place.until(order.id, isDone)
      assert.ok(done.certificate_id !== null && done.not_after !== null && done.renew_at !== null)
      await place.sites.restart()
      assert.deepEqual(await place.find(order.id), done)
    },
  )

  test('secrets are sealed and never shown again', async () => {
    await using place = await openOrderPlace()
    const { admin, sites } = place
    const provider = await place.addProvider()
    const order = await place.order({ name: 'House', domains: ['*.example.org'], provider_id: provider.id })
    await place.until(order.id, isDone)
    const list = await admin.json<z.infer<typeof DnsProviderList>>('GET', '/api/dns-providers')
    const shown = JSON.stringify([list.body, await place.find(order.id), provider])
    assert.ok(!shown.includes(tsigKey.secret) && !shown.includes('PRIVATE'))
    assert.equal(list.body.providers[0]?.settings['key_name'], 'hearth')
    for (const name of (await readdir(sites.folder)).filter((file) => file.startsWith('sites.db'))) {
      const content = await readFile(join(sites.folder, name), 'latin1')
      assert.ok(!content.includes(tsigKey.secret), name)
      assert.ok(!content.includes('PRIVATE KEY'), name)
    }
  })
})
