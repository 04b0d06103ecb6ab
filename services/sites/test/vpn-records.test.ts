import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, freePort, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { fillFolder } from '../bench/many-sites.ts'
import type { VpnLinkView } from '../src/vpn-link/schema.ts'
import type { Browser } from './browser.ts'
import { type Fault, startFakeVpn, type FakeVpn } from './fake-vpn.ts'
import { startSites, type Sites, type SitesOptions } from './in-process.ts'

const environment = { OUTBOUND_ALLOW: '127.0.0.1' }
const inside = { inside_addresses: ['10.99.0.1'] }

interface LinkedPlace extends AsyncDisposable {
  readonly vpn: FakeVpn
  readonly sites: Sites
  readonly admin: Browser
  readonly view: () => Promise<VpnLinkView>
  readonly check: () => Promise<VpnLinkView>
  readonly until: (isGood: (view: VpnLinkView) => boolean) => Promise<VpnLinkView>
}

const link = (admin: Browser, vpn: FakeVpn) =>
  admin.json<VpnLinkView>('PATCH', '/api/vpn-link', { json: { address: vpn.url, token: vpn.token, ...inside } })

/** A service that is linked with a VPN. No Caddy is there: records do not depend on one. */
async function openLinked(options: SitesOptions = {}): Promise<LinkedPlace> {
  await using made = new AsyncDisposableStack()
  const vpn = made.use(await startFakeVpn())
  const sites = made.use(await startSites(environment, options))
  const admin = await sites.signIn()
  assert.equal((await link(admin, vpn)).status, 200)
  const view = async () => (await admin.json<VpnLinkView>('GET', '/api/vpn-link')).body
  const all = made.move()
  return {
    vpn,
    sites,
    admin,
    view,
    check: async () => (await admin.json<VpnLinkView>('POST', '/api/vpn-link/check')).body,
    until: (isGood) => eventually(view, isGood, { what: 'the state of the link' }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

const isInStep = ({ state, waiting_count: waiting }: VpnLinkView) => state === 'in_step' && waiting === 0

test('an edit among 5,000 names changes one record, and no more is read', async () => {
  await using folder = await temporaryDirectory('names')
  await fillFolder(folder.path, 5000, 'http://127.0.0.1:10')
  await using place = await openLinked({ folder: folder.path })
  const { record_count: count } = await place.until((view) => isInStep(view) && view.record_count === 5000)
  assert.deepEqual([count, place.vpn.records.size], [5000, 5000])
  const full = place.vpn.requests.filter((line) => line.startsWith('POST') && !line.includes('put 0'))
  assert.equal(full.length, 5, 'in batches of 1,000')
  place.vpn.requests.length = 0
  const edit = { json: { domains: ['moved.test'] }, headers: {} }
  assert.equal((await place.admin.json('PATCH', '/api/sites/77?wait=false', edit)).status, 200)
  await eventually(
    () => place.vpn.records.has('moved.test A 10.99.0.1'),
    (isThere) => isThere,
  )
  assert.equal(place.vpn.records.has('s77.test A 10.99.0.1'), false)
  assert.deepEqual(
    place.vpn.requests.map((line) => line.replace(/sites-\w+/, 'sites')),
    ['POST /api/dns/managed-records/sites put 1 remove 1'],
  )
})

test('what a VPN says that cannot be is not believed: the last networks and records hold', async () => {
  await using place = await openLinked()
  const { vpn, check } = place
  await place.until(isInStep)
  const good = (await place.view()).tunnels
  const entry = { name: 'wg0', address6: null, nat: false, enabled: true, node: null }
  for (const interfaces of [
    [{ ...entry, address: '0.0.0.0/0' }],
    [{ ...entry, address: '10.0.0.1/7' }],
    [{ ...entry, address: '127.0.0.1/8' }],
    [{ ...entry, address: '10.8.0.1' }],
    [{ ...entry, address: 'all' }],
    [{ ...entry, address: '10.8.0.1/24', address6: '::/0' }],
    [{ ...entry, address: '10.8.0.1/24', address6: '::ffff:0:0/96' }],
    'nonsense',
    null,
  ]) {
    vpn.interfaces = interfaces
    const { state, problem, tunnels } = await check()
    assert.deepEqual([state, tunnels], ['failing', good], JSON.stringify(interfaces))
    assert.match(problem ?? '', /cannot be read/)
  }
  vpn.interfaces = []
  assert.deepEqual((await check()).tunnels, good, 'a total that does not fit')
})

test('a VPN that is slow, busy, broken or elsewhere is shown in words, and asked less often', async () => {
  await using place = await openLinked()
  const { vpn, check, admin } = place
  await place.until(isInStep)
  const faults: readonly (readonly [Fault, RegExp])[] = [
    [{ status: 500, body: '{"message":"disk full"}' }, /has a problem: disk full/],
    [{ status: 200, body: '<html>' }, /cannot be read/],
    [{ status: 200, body: '{"data":' }, /cannot be read/],
    [{ status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' }, /has a problem: status 302/],
    [{ status: 401, body: '{"message":"no"}' }, /does not know the token/],
    [{ status: 403, body: '{"message":"Insufficient permissions: the token is read-only"}' }, /read-only/],
    [{ status: 404, body: '{"message":"no"}' }, /too old/],
    [{ status: 429, headers: { 'retry-after': '7' }, body: '{"message":"slow"}' }, /no more requests for a moment/],
  ]
  for (const [fault, words] of faults) {
    vpn.onRequest = () => fault
    const { state, problem } = await check()
    assert.equal(state, 'failing')
    assert.match(problem ?? '', words)
    assert.ok(!(problem ?? '').includes(vpn.token))
  }
  vpn.requests.length = 0
  const json = { site_name: 'new', domains: ['new.test'], kind: 'respond', respond: {}, tls: { mode: 'off' } }
  assert.equal((await admin.json('POST', '/api/sites?wait=false', { json })).status, 201)
  assert.deepEqual(vpn.requests, [], 'an edit does not cut the wait short')
  vpn.onRequest = () => undefined
  assert.equal((await check()).state, 'in_step')
  assert.ok(vpn.records.has('new.test A 10.99.0.1'))
})

test('a VPN that never answers holds up neither edits, nor a change of the link, nor the end', async () => {
  await using place = await openLinked()
  const { vpn, admin } = place
  await place.until(isInStep)
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  vpn.onRequest = () => {
    resolve()
    return 'hang'
  }
  const json = { site_name: 'new', domains: ['new.test'], kind: 'respond', respond: {}, tls: { mode: 'off' } }
  assert.equal((await admin.json('POST', '/api/sites?wait=false', { json })).status, 201)
  await asked
  const home = { json: { home_networks: ['192.168.1.0/24'] } }
  const { body } = await admin.json<VpnLinkView>('PATCH', '/api/vpn-link', home)
  assert.deepEqual(body.home_networks, ['192.168.1.0/24'])
  assert.notEqual(body.state, 'in_step')
})

test('the token goes to no other address', async () => {
  await using place = await openLinked()
  await using other = await startFakeVpn()
  const { status } = await place.admin.json('PATCH', '/api/vpn-link', { json: { address: other.url } })
  assert.deepEqual([status, other.requests], [422, []])
  place.vpn.onRequest = () => ({ status: 307, headers: { location: `${other.url}/` }, body: '' })
  await place.check()
  assert.deepEqual(other.requests, [])
  const settings = JSON.stringify((await place.admin.json('GET', '/api/vpn-link')).body)
  assert.ok(!settings.includes(place.vpn.token))
  const log = await place.admin.json<{ detail: string | null }[]>('GET', '/api/security-log')
  const text = JSON.stringify(log.body)
  assert.match(text, /changed: address, inside_addresses, token/, 'the security log says what was changed')
  assert.ok(!text.includes(place.vpn.token))
})

test('with the VPN away the link ends all the same, and what stays is said', async () => {
  await using place = await openLinked()
  await place.until(isInStep)
  place.vpn.onRequest = () => ({ status: 500, body: '{}' })
  const { body, status } = await place.admin.json<{ detail: string }>('DELETE', '/api/vpn-link')
  assert.equal(status, 200)
  assert.match(body.detail, /stay in the VPN as sites-[0-9a-f]{8}, because/)
  assert.equal((await place.view()).state, 'unlinked')
  assert.equal((await place.admin.json('DELETE', '/api/vpn-link')).status, 409)
})

test('killed in the middle of a change, it finds out what was made and brings the rest in step', async () => {
  await using folder = await temporaryDirectory('killed')
  await fillFolder(folder.path, 2500, 'http://127.0.0.1:9')
  await using vpn = await startFakeVpn()
  {
    await using sites = await startSites(environment, { folder: folder.path })
    const admin = await sites.signIn()
    // Without an address inside there are no records yet.
    const json = { address: vpn.url, token: vpn.token, records: 'none', ...inside }
    assert.equal((await admin.json('PATCH', '/api/vpn-link', { json })).status, 200)
    await admin.json('PATCH', '/api/vpn-link', { json: { records: 'all' } })
  }
  vpn.records.clear()
  vpn.requests.length = 0
  const port = String(await freePort())
  const started = { DATA_DIR: folder.path, CADDY_ADMIN: 'http://127.0.0.1:9', BIND_PORT: port, ...environment }
  for (const batches of [1, 2]) {
    const { promise: reached, resolve } = Promise.withResolvers<void>()
    let changes = 0
    // The change is made, and its answer never comes.
    vpn.onChanged = () => {
      changes += 1
      if (changes !== batches) return
      resolve()
      return new Promise<void>(() => undefined)
    }
    const service = await startServiceProcess('sites', started)
    await reached
    await service.kill()
    await service[Symbol.asyncDispose]()
    vpn.records.delete('s1.test A 10.99.0.1')
  }
  vpn.onChanged = () => undefined
  await using _ = await startServiceProcess('sites', started)
  await eventually(
    () => vpn.records.size,
    (size) => size === 2500,
    { what: 'all records' },
  )
  assert.ok(vpn.records.has('s1.test A 10.99.0.1'))
})
