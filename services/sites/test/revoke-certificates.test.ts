import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { OrderView } from '../src/acme/schema.ts'
import { certificateAt, openOrderPlace, orderObstacle, type OrderPlace } from './order-place.ts'

const isDone = ({ state, records }: OrderView) => state === 'valid' && records.length === 0
const serialOf = (order: OrderView) => order.revocation?.serial_number ?? ''

interface Refusal {
  readonly detail: string
  readonly code?: string
}

async function issue(place: OrderPlace): Promise<OrderView> {
  const provider = await place.addProvider()
  const order = await place.order({ name: 'House', domains: ['*.example.org'], provider_id: provider.id })
  return place.until(order.id, isDone)
}

const revoke = (place: OrderPlace, id: string, json: object) =>
  place.admin.json<OrderView & Refusal>('POST', `/api/certificate-orders/${id}/revoke`, { json })

/** Adds a site with the certificate; returns the serial number that Caddy shows for it. */
async function serve({ admin, sites }: OrderPlace, { certificate_id }: OrderView) {
  const tls = { mode: 'custom', certificate_id }
  const site = { site_name: 'All', domains: ['*.example.org'], kind: 'respond', respond: { body: 'Hello' }, tls }
  const { status } = await admin.call('POST', '/api/sites', { json: site })
  assert.equal(status, 201)
  const shown = async () => (await certificateAt(sites.caddyPorts[1], 'wiki.example.org')).serial
  return { shown, first: await shown() }
}

describe('certificates are revoked', { skip: (await orderObstacle()) ?? false }, () => {
  test('one that sites use is ordered anew first, and revoked when Caddy serves the new one', async () => {
    await using place = await openOrderPlace()
    const { admin, pebble } = place
    const order = await issue(place)
    const { shown, first } = await serve(place, order)
    const asked = await revoke(place, order.id, { reason: 'key_compromised' })
    assert.deepEqual([asked.status, asked.body.revocation?.state, asked.body.state], [200, 'waiting', 'working'])
    assert.equal(serialOf(asked.body), first)
    assert.equal((await pebble.certificate(first))?.Status, 'Valid')
    const again = await revoke(place, order.id, { reason: 'superseded' })
    assert.deepEqual([again.status, again.body.code], [409, 'revocation_waits'])
    await eventually(
      () => pebble.certificate(first),
      (certificate) => certificate?.Status === 'Revoked',
    )
    const second = await shown()
    assert.notEqual(second, first, 'Caddy serves the new one by then')
    assert.equal((await pebble.certificate(first))?.Reason, 1)
    assert.equal((await pebble.certificate(second))?.Status, 'Valid')
    const done = await place.until(order.id, ({ revocation }) => revocation?.state === 'revoked')
    assert.deepEqual([done.state, serialOf(done), done.problem], ['valid', first, null])
    const words = `Revoked, because its key is compromised: serial number ${first}`
    await place.until(order.id, ({ history }) => history.some(({ text }) => text === words))
    const log = await admin.json<{ events: { kind: string; target: string; detail: string }[] }>(
      'GET',
      '/api/security-log?kind=certificate_revoked',
    )
    assert.deepEqual(
      log.body.events.map(({ target, detail }) => [target, detail]),
      [['House', `key_compromised, serial number ${first}, after a new one is issued`]],
    )
  })

  test('one that no site uses is revoked at once, is not renewed, and can be ordered again', async () => {
    await using place = await openOrderPlace()
    const { admin, pebble, sites } = place
    const order = await issue(place)
    const revoked = await revoke(place, order.id, { reason: 'no_longer_used' })
    const serial = serialOf(revoked.body)
    assert.deepEqual(
      [revoked.status, revoked.body.state, revoked.body.revocation?.state, revoked.body.next_at, revoked.body.renew_at],
      [200, 'revoked', 'revoked', null, null],
    )
    assert.deepEqual(
      [(await pebble.certificate(serial))?.Status, (await pebble.certificate(serial))?.Reason],
      ['Revoked', 5],
    )
    const same = await revoke(place, order.id, { reason: 'superseded' })
    assert.deepEqual([same.status, same.body.history.length], [200, revoked.body.history.length])
    // As if the answer of the authority had been lost: asked again, it says that the certificate is revoked already.
    const database = new DatabaseSync(join(sites.folder, 'sites.db'))
    database.exec('pragma busy_timeout = 5000')
    database.exec(`update certificate_orders set progress = '{"step":"idle"}'; delete from certificate_revocations`)
    database.close()
    const repeated = await revoke(place, order.id, { reason: 'superseded' })
    assert.deepEqual([repeated.status, repeated.body.state, serialOf(repeated.body)], [200, 'revoked', serial])
    assert.equal((await admin.call('POST', `/api/certificate-orders/${order.id}/run`)).status, 200)
    const renewed = await place.until(order.id, isDone)
    assert.equal(renewed.certificate_id, order.certificate_id)
    assert.equal((await admin.call('DELETE', `/api/certificate-orders/${order.id}`)).status, 200)
  })

  test('nothing is half-done when the authority is away, refuses, or there is no certificate', async () => {
    await using place = await openOrderPlace()
    const order = await issue(place)
    await place.pebble.stop()
    const away = await revoke(place, order.id, { reason: 'key_compromised' })
    assert.deepEqual([away.status, away.body.code], [503, 'authority_away'])
    assert.match(away.body.detail, /^Nothing was revoked\. The authority: /)
    assert.deepEqual(await place.find(order.id), order)
    // With nothing in its memory it knows neither account nor certificate.
    await place.pebble.start()
    const refused = await revoke(place, order.id, { reason: 'key_compromised' })
    assert.deepEqual([refused.status, refused.body.code], [409, 'authority_refused'])
    assert.match(refused.body.detail, /^Nothing was revoked\. The authority refused: /)
    assert.deepEqual(await place.find(order.id), order)
    for (const [json, status] of [
      [{ reason: 'unspecified' }, 422],
      [{}, 422],
      [{ reason: 'superseded', order_new_first: 'yes' }, 422],
    ] as const)
      assert.equal((await revoke(place, order.id, json)).status, status)
    assert.equal((await revoke(place, 'none', { reason: 'superseded' })).status, 404)
    await place.pebble.stop()
    const other = { name: 'Other', domains: ['a.example.org'], provider_id: order.provider_id }
    const none = await revoke(place, (await place.order(other)).id, { reason: 'superseded', order_new_first: true })
    assert.deepEqual([none.status, none.body.code], [409, 'no_certificate'])
  })

  test('it waits while Caddy has the old one, unless a user does not want to wait', async () => {
    await using place = await openOrderPlace()
    const { sites, pebble } = place
    const order = await issue(place)
    const { shown, first } = await serve(place, order)
    const node = await sites.service.app.deploy.nodes.get(1)
    assert.ok(node !== undefined)
    const { config, etag } = await node.client.readConfig()
    const foreign = JSON.parse(JSON.stringify(config).replace('"body":"Hello"', '"body":"foreign"')) as object
    assert.equal((await node.client.replaceConfig(foreign, etag)).kind, 'accepted')
    await revoke(place, order.id, { reason: 'key_compromised' })
    const held = await place.until(order.id, ({ revocation }) => (revocation?.problem ?? null) !== null)
    assert.match(held.revocation?.problem ?? '', /^Caddy has the old certificate: Somebody else has changed/)
    assert.deepEqual([held.state, held.revocation?.state, await shown()], ['valid', 'due', first])
    assert.equal((await pebble.certificate(first))?.Status, 'Valid')
    const now = await revoke(place, order.id, { reason: 'superseded', order_new_first: false })
    assert.deepEqual([now.status, now.body.state, now.body.revocation?.state], [200, 'valid', 'revoked'])
    assert.equal((await pebble.certificate(first))?.Status, 'Revoked')
    assert.equal((await place.admin.call('POST', '/api/caddy/drift/restore')).status, 200)
    await eventually(shown, (serial) => serial !== first)
  })

  test('what waits is revoked when its order is deleted, also after a restart', async () => {
    await using place = await openOrderPlace()
    const order = await issue(place)
    await place.names.stop()
    const asked = await revoke(place, order.id, { reason: 'superseded', order_new_first: true })
    assert.equal(asked.body.revocation?.state, 'waiting')
    await place.sites.restart()
    assert.equal((await place.find(order.id)).revocation?.state, 'waiting')
    assert.equal((await place.admin.call('DELETE', `/api/certificate-orders/${order.id}`)).status, 200)
    await eventually(
      () => place.pebble.certificate(serialOf(asked.body)),
      (certificate) => certificate?.Status === 'Revoked',
    )
  })
})
