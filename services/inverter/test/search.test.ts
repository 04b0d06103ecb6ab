import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createFastTimers, createLog } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import type { Device } from '../src/devices/device.ts'
import { InverterSearch } from '../src/discovery/inverter-search.ts'
import type { InverterSearchView } from '../src/discovery/schema.ts'
import type { Faults } from '../src/simulator/faults.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import { catalog, startGateway, type TestGateway } from './in-process.ts'

const path = '/admin/api/inverter-search'
const run = promisify(execFile)

/** A loopback network that no other test process uses. */
const prefix = `127.${20 + (process.pid % 200)}.${(process.pid >> 8) % 250}`
const network = (begin: number) => `${prefix}.${begin}/29`

async function startAt(host: string, faults: Partial<Faults> = {}) {
  const inverter = await startSimulator({ port: 8899, host, timers: createFastTimers(1), catalog, seed: 3, faults })
  return { inverter, [Symbol.asyncDispose]: () => inverter.close() }
}

const view = (gateway: TestGateway) => gateway.operate('GET', path) as Promise<InverterSearchView>

async function search(gateway: TestGateway, networks: readonly string[]): Promise<InverterSearchView> {
  await gateway.operate('POST', path, { networks })
  return eventually(
    () => view(gateway),
    ({ state }) => state !== 'searching',
    { what: 'the end', seconds: 60, everyMs: 50 },
  )
}

test('a search finds inverters with serial number and firmware, and says what else listens', async () => {
  await using first = await startAt(`${prefix}.2`)
  await using _web = await startAt(`${prefix}.3`, { otherService: 'http' })
  await using _update = await startAt(`${prefix}.4`, { bootloader: true })
  await using configured = await startAt(`${prefix}.5`)
  await using gateway = await startGateway({
    environment: { SEARCH_NETWORKS: network(0) },
    inverter: configured.inverter,
    timers: createFastTimers(1),
    device: { host: `${prefix}.5` },
  })
  await eventually(
    () => gateway.service.app.devices.find('main'),
    (device) => device?.serial != null,
    { what: 'the serial number', seconds: 30 },
  )
  const { connections } = configured.inverter
  const { found, checked, total, state } = await search(gateway, [network(0)])
  assert.deepEqual([checked, total, state], [6, 6, 'done'])
  assert.deepEqual(
    found
      .toSorted((a, b) => a.address.localeCompare(b.address))
      .map(({ address, kind, serial, firmware, device_id: id, detail }) => [
        address,
        kind,
        serial,
        firmware,
        id,
        detail,
      ]),
    [
      [`${prefix}.2`, 'inverter', 'SIM000000001', '5687', null, null],
      [`${prefix}.3`, 'other', null, null, null, 'This is a web server, no inverter.'],
      [`${prefix}.4`, 'inverter', null, null, null, 'The inverter is in maintenance: its bootloader runs.'],
      [`${prefix}.5`, 'configured', 'SIM000000001', '5687', 'main', null],
    ],
  )
  assert.equal(configured.inverter.connections, connections, 'a configured inverter gets no second client')
  assert.equal(first.inverter.maxOpenReads, 1)
  const writes = first.inverter.wire.filter(({ frame }) => frame?.command === 'write')
  assert.equal(writes.length, 0)
  await assert.rejects(gateway.operate('POST', path, { networks: [network(0)] }), /Wait 10 seconds/)
})

test('a configured inverter is not asked when its name cannot be looked up any more', async () => {
  await using configured = await startAt(`${prefix}.42`)
  const timers = createFastTimers(1)
  const search = new InverterSearch({
    catalog,
    timers,
    log: createLog({ name: 'test', level: 'silent' }),
    devices: () => [{ id: 'main', host: 'inverter.invalid', port: 8899, isSimulated: false } as Device],
    connected: () => new Map([[`${prefix}.42`, 'main']]),
    networks: [network(40)],
    sharedAt: () => undefined,
    isOffline: false,
    changed: () => undefined,
  })
  search.begin([network(40)])
  const { found } = await eventually(
    () => search.view(),
    ({ state }) => state !== 'searching',
    { what: 'the end', seconds: 60, everyMs: 50 },
  )
  assert.deepEqual(
    found.map(({ address, kind, device_id: id }) => [address, kind, id]),
    [[`${prefix}.42`, 'configured', 'main']],
  )
  assert.equal(configured.inverter.connections, 0)
})

test('a search does not offer the shared port of Hearth itself as an inverter', async () => {
  await using gateway = await startGateway({
    environment: { SEARCH_NETWORKS: network(32) },
    timers: createFastTimers(1),
  })
  const sharing = '/admin/api/shared-port'
  await gateway.operate('PUT', sharing, {
    enabled: true,
    bind_address: `${prefix}.34`,
    inverters: [{ device_id: 'main', port: 8899 }],
    clients: [{ name: 'Any', network: '127.0.0.0/8', may_write: [] }],
    cache_seconds: 2,
  })
  const { found } = await search(gateway, [network(32)])
  assert.deepEqual(
    found.map(({ address, kind, detail }) => [address, kind, detail]),
    [[`${prefix}.34`, 'other', "This is Hearth's own shared port."]],
  )
})

test('nothing is searched but networks of the host, and by administrators alone', async () => {
  await using gateway = await startGateway({
    device: null,
    environment: { SEARCH_NETWORKS: `${network(8)},${network(16)}` },
  })
  for (const networks of [['8.8.8.0/24'], ['192.168.1.0/24'], [network(24)], [`${prefix}.0/24`], []])
    assert.equal(
      (await (await gateway.signIn()).send('POST', path, { body: { networks } })).status,
      422,
      String(networks),
    )
  for (const token of [gateway.tokens.read, gateway.tokens.write])
    assert.equal((await gateway.send('POST', path, { token, body: { networks: [network(8)] } })).status, 403)
  assert.equal((await view(gateway)).state, 'idle')
  const large = ['127.9.0.0/22', '127.9.4.0/22']
  await using wide = await startGateway({ device: null, environment: { SEARCH_NETWORKS: large.join(',') } })
  const refused = await (await wide.signIn()).send('POST', path, { body: { networks: large } })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /2044 addresses; at most 1024/)
})

test('a search is written to the security log, and can be cancelled', async () => {
  await using gateway = await startGateway({
    device: null,
    environment: { SEARCH_NETWORKS: `${prefix}.128/25` },
    timers: createFastTimers(1),
  })
  const browser = await gateway.signIn()
  const begun = await browser.send('POST', path, { body: { networks: [`${prefix}.128/25`] } })
  assert.deepEqual([begun.status, begun.body.state, begun.body.total], [202, 'searching', 126])
  assert.equal((await browser.send('POST', path, { body: { networks: [`${prefix}.128/25`] } })).status, 409)
  const cancelled = await browser.send('POST', `${path}:cancel`)
  assert.equal(cancelled.body.state, 'cancelled')
  const log = await browser.send('GET', '/admin/api/security-log?kind=network_searched')
  assert.deepEqual(
    log.body.events.map((event: { username: string; target: string }) => [event.username, event.target]),
    [['admin', `${prefix}.128/25`]],
  )
})

const mayUnshare = process.getuid?.() === 0 && process.platform === 'linux'

test(
  'a search of the interfaces of the host finds an inverter in its private network',
  { skip: !mayUnshare },
  async () => {
    const script = [
      'ip link set lo up',
      'ip link add home0 type veth peer name home1',
      'ip addr add 10.77.5.1/28 dev home0',
      'ip addr add 10.77.5.9/32 dev home0',
      'ip link set home0 up',
      'ip link set home1 up',
      'exec "$0" "$1" 10.77.5.9',
    ].join(' && ')
    const args = ['--net', 'sh', '-c', script, process.execPath, join(import.meta.dirname, 'search-in-namespace.ts')]
    const { stdout } = await run('unshare', args, { timeout: 120_000 })
    const { networks, found, checked, state } = JSON.parse(stdout) as InverterSearchView
    assert.deepEqual(networks, [{ network: '10.77.5.0/28', interface: 'home0', addresses: 14, reason: null }])
    assert.deepEqual([state, checked], ['done', 14])
    assert.deepEqual(
      found.map(({ address, kind, serial }) => [address, kind, serial]),
      [['10.77.5.9', 'inverter', 'SIM000000001']],
    )
  },
)
