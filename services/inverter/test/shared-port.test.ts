import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { createRandom, eventually, freePort } from '@hearth/testing'
import type { SharedPortView } from '../src/shared-port/schema.ts'
import { encodeFrame } from '../src/protocol/frame.ts'
import { decodeTimeSeries, encodeHistoryRequest } from '../src/protocol/time-series.ts'
import { apiValueOf, payloadOf } from '../src/metrics/value.ts'
import { catalog, main, startGateway, type TestGateway } from './in-process.ts'
import { connectClient } from './shared-client.ts'

const path = '/admin/api/shared-port'

const view = async (gateway: TestGateway) => (await gateway.operate('GET', path)) as SharedPortView

/** Shares the inverter `main` with a program on this host; returns the port. */
async function share(gateway: TestGateway, changes: Partial<SharedPortView['settings']> = {}): Promise<number> {
  await gateway.isReady()
  const port = await freePort()
  const settings = {
    enabled: true,
    bind_address: '127.0.0.1',
    inverters: [{ device_id: 'main', port }],
    clients: [{ name: 'Home Assistant', network: '127.0.0.0/8', may_write: [] }],
    cache_seconds: 2,
    ...changes,
  }
  const { ports } = (await gateway.operate('PUT', path, settings)) as SharedPortView
  assert.deepEqual(
    ports.map(({ state, error }) => [state, error]),
    settings.inverters.map(() => ['listening', null]),
  )
  return port
}

const objectOf = (name: string) => {
  const object = catalog.byName(name)
  assert.ok(object !== undefined, name)
  return object
}

test('three programs and the API read every object through one connection, one request at a time', async () => {
  await using gateway = await startGateway({
    speed: 1,
    simulator: { faults: { frozenPlant: true } },
    device: { request_gap_ms: 0, periodic_reads: false },
  })
  const port = await share(gateway)
  await using one = await connectClient(port)
  await using other = await connectClient(port)
  const readable = catalog.objects.filter(({ response, name }) => response === undefined && name !== 'net_slave_data')
  const steady = (name: string) => gateway.inverter.registers.payload(objectOf(name).objectId)
  const wrong: string[] = []
  const readAll = async (read: (name: string) => Promise<Uint8Array>, names: readonly string[]) => {
    for (const name of names)
      if (Buffer.compare(await read(name), steady(name) ?? new Uint8Array(0)) !== 0) wrong.push(name)
  }
  const names = readable.map(({ name }) => name)
  const third = async () => {
    for (const name of names.slice(0, 100)) await gateway.call('GET', main(`/metrics/${name}?max_age=0`))
  }
  await Promise.all([
    readAll((name) => one.read(name), names),
    readAll((name) => other.read(name), names.toReversed()),
    third(),
  ])
  // A clock and what is made anew at each reading are no constants.
  assert.deepEqual(
    wrong.filter((name) => !/time|clock|uptime|date/.test(name)),
    [],
  )
  assert.deepEqual([gateway.inverter.maxOpenReads, gateway.inverter.connections], [1, 1])
  const { ports, connections } = await view(gateway)
  assert.equal(ports[0]?.requests, 2 * names.length)
  assert.deepEqual(
    connections.map(({ name, address, device_id: id, requests }) => [name, address, id, requests]),
    [
      ['Home Assistant', '127.0.0.1', 'main', names.length],
      ['Home Assistant', '127.0.0.1', 'main', names.length],
    ],
  )
})

test('a value that was just read is not read again, and an older one is', async () => {
  // A value that the inverter is asked to send by itself would be a further request for it, at any moment.
  await using gateway = await startGateway({ device: { periodic_reads: false } })
  const port = await share(gateway, { cache_seconds: 60 })
  await using client = await connectClient(port)
  const reads = () =>
    gateway.inverter.wire.filter(
      ({ direction, frame }) => direction === 'in' && frame?.objectId === objectOf('battery_soc').objectId,
    ).length
  await client.read('battery_soc')
  const first = reads()
  await client.read('battery_soc')
  assert.equal(reads(), first)
  assert.ok(((await view(gateway)).ports[0]?.from_cache ?? 0) >= 1)
  await gateway.operate('PUT', path, { ...(await view(gateway)).settings, cache_seconds: 0 })
  await using again = await connectClient(port)
  await again.read('battery_soc')
  assert.equal(reads(), first + 1)
})

test('a write needs the rule of its program, approval and write access, and is in the journal', async () => {
  await using gateway = await startGateway()
  const name = 'power_mng_soc_strategy'
  const before = gateway.inverter.registers.get(name)
  const port = await share(gateway)
  const write = async (value: number) => {
    await using client = await connectClient(port)
    client.send({ name, command: 'write', payload: payloadOf(objectOf(name), value) })
    // Requests of a program come one after the other: what follows is answered when the write is over.
    return apiValueOf(objectOf(name), await client.read(name))
  }
  const refusal = async () => (await view(gateway)).ports[0]?.last_refusal?.detail
  const rule = async (names: string[]) => {
    const { settings } = await view(gateway)
    const clients = [{ name: 'evcc', network: '127.0.0.1', may_write: names }]
    await gateway.operate('PUT', path, { ...settings, clients, cache_seconds: 0 })
  }
  assert.equal(await write(2), before)
  assert.match((await refusal()) ?? '', /Home Assistant may not write power_mng_soc_strategy/)
  await rule([name])
  assert.equal(await write(2), before)
  assert.match((await refusal()) ?? '', /evcc, power_mng_soc_strategy: .*(not approved|off)/)
  await gateway.allowWriting(name)
  assert.equal(await write(2), 2)
  assert.equal(gateway.inverter.registers.get(name), 2)
  assert.equal((await view(gateway)).ports[0]?.written, 1)
  const journal = (await gateway.operate('GET', main('/journal?limit=5'))) as {
    entries: { metric: string; caller: string }[]
  }
  assert.deepEqual(
    journal.entries.filter(({ metric }) => metric === name).map(({ caller }) => caller),
    ['shared port: evcc'],
  )
  await using client = await connectClient(port)
  for (const payload of [Buffer.alloc(3), Buffer.alloc(300)]) {
    client.send({ name, command: payload.length > 255 ? 'long-write' : 'write', payload })
    await client.read(name)
    assert.match((await refusal()) ?? '', /evcc, power_mng_soc_strategy: value is no value of the type enum/)
  }
  const log = (await gateway.operate('GET', '/admin/api/security-log?limit=5')) as { events: { detail: string }[] }
  assert.ok(
    log.events.some(({ detail }) => detail === `evcc (127.0.0.1): ${name}`),
    JSON.stringify(log),
  )
})

test('the logger answers through the shared port as it answers the API', async () => {
  await using gateway = await startGateway()
  const port = await share(gateway)
  await using client = await connectClient(port)
  const logger = catalog.objects.find(({ response }) => response === 'timeseries')
  assert.ok(logger !== undefined)
  const before = Math.floor(gateway.timers.now() / 1000)
  const answer = client.next(logger.name)
  client.send({ name: logger.name, command: 'write', payload: encodeHistoryRequest(before) })
  const series = decodeTimeSeries(await answer)
  assert.equal(series.before, before)
  assert.ok(series.points.length > 10)
  client.send({ name: logger.name, command: 'write', payload: Buffer.from('00') })
  await eventually(
    () => view(gateway),
    ({ ports }) => /4 bytes/.test(ports[0]?.last_refusal?.detail ?? ''),
    { what: 'a refused question' },
  )
})

test('what a program registers is sent to it now and in every period', async () => {
  await using gateway = await startGateway({ speed: 200 })
  const port = await share(gateway)
  await using client = await connectClient(port)
  const first = client.next('battery_soc')
  client.send({ name: 'battery_soc', command: 'read-periodically' })
  await first
  await client.next('battery_soc')
  await client.next('battery_soc')
  assert.ok(client.frames.every(({ command }) => command === 'response'))
})

test('a device of a plant answers under its network id, and one that is unknown not at all', async () => {
  await using gateway = await startGateway({
    simulator: { slaves: [{ networkId: 7, name: 'second', serial: 'SIM000000007' }] },
  })
  const second = { device_id: 'second', host: '127.0.0.1', port: gateway.inverter.port, network_id: 7 }
  await gateway.operate('POST', '/admin/api/devices', { ...second, periodic_reads: false })
  const port = await share(gateway)
  await using client = await connectClient(port)
  const serial = objectOf('inverter_serial')
  assert.equal(apiValueOf(serial, await client.read('inverter_serial', 7)), 'SIM000000007')
  assert.equal(client.frames.at(-1)?.address, 7)
  client.send({ name: 'inverter_serial', address: 8 })
  assert.notEqual(apiValueOf(serial, await client.read('inverter_serial')), 'SIM000000007')
  assert.equal((await view(gateway)).ports[0]?.unanswered, 1)
})

test('who is not listed is disconnected and named, and one that floods, stalls or sends rubbish hurts nobody', async () => {
  await using gateway = await startGateway({ speed: 50 })
  const stranger = [{ name: 'Elsewhere', network: '192.0.2.0/24', may_write: [] }]
  const closedPort = await share(gateway, { clients: stranger })
  await using refused = await connectClient(closedPort)
  await refused.closed()
  const { ports } = await view(gateway)
  assert.deepEqual([ports[0]?.refused, ports[0]?.last_refusal?.address], [1, '127.0.0.1'])

  const port = await share(gateway)
  await using flood = await connectClient(port)
  flood.socket.pause()
  const request = { command: 'read', address: undefined, objectId: objectOf('battery_soc').objectId } as const
  const many = Buffer.concat(
    Array.from({ length: 5000 }, () => encodeFrame({ ...request, payload: new Uint8Array(0) })),
  )
  flood.socket.write(many)
  await using rubbish = await connectClient(port)
  rubbish.socket.write(Buffer.from('2b2d2b01ff00112233', 'hex'))
  rubbish.socket.write(many.subarray(0, 5))
  await using unknown = await connectClient(port)
  unknown.socket.write(encodeFrame({ ...request, objectId: 0x14c0e627, payload: new Uint8Array(0) }))
  await using good = await connectClient(port)
  for (const name of ['battery_soc', 'grid_power', 'inverter_serial']) await good.read(name)
  assert.equal(gateway.inverter.maxOpenReads, 1)
  assert.equal((await gateway.call('GET', main('/metrics/battery_soc'))).status, 200)
})

test('whatever bytes and requests a program makes up, nothing is written, and others are answered', async () => {
  await using gateway = await startGateway({ speed: 50 })
  await gateway.allowWriting(...catalog.roles.dispatchRegisters)
  const port = await share(gateway)
  const before = catalog.roles.dispatchRegisters.map((name) => gateway.inverter.registers.get(name))
  const random = createRandom(16)
  const below = (limit: number) => Math.floor(random() * limit)
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => below(256)))
  const commands = ['read', 'write', 'long-write', 'read-periodically', 'response', 'long-response'] as const
  const frame = () => {
    const known = catalog.objects[below(catalog.objects.length)]?.objectId ?? 0
    const command = commands[below(commands.length)] ?? 'read'
    const encoded = encodeFrame({
      command,
      address: below(4) === 0 ? below(2 ** 32) : undefined,
      objectId: below(5) === 0 ? below(2 ** 32) : known,
      payload: bytes(command.startsWith('read') ? 0 : below(200)),
    })
    const fault = below(4)
    if (fault === 0) return Buffer.from(encoded.subarray(0, below(encoded.length)))
    const copy = Buffer.from(encoded)
    if (fault === 1) copy[below(copy.length)] = below(256)
    return fault === 2 ? Buffer.concat([bytes(below(30)), copy]) : copy
  }
  for (let program = 0; program < 6; program += 1) {
    await using client = await connectClient(port)
    for (let count = 0; count < 60; count += 1) client.socket.write(frame())
    await using good = await connectClient(port)
    await good.read('battery_soc')
  }
  await eventually(
    () => view(gateway),
    ({ connections }) => connections.length === 0,
    { what: 'no connection left' },
  )
  const after = catalog.roles.dispatchRegisters.map((name) => gateway.inverter.registers.get(name))
  assert.deepEqual(after, before)
  const { ports } = await view(gateway)
  assert.deepEqual([ports[0]?.written, gateway.inverter.maxOpenReads], [0, 1])
  assert.ok((ports[0]?.refused ?? 0) > 0, 'writes were among it')
  assert.equal((await gateway.call('GET', main('/metrics/battery_soc'))).status, 200)
})

test('a port that is taken is named, a restart shares again, and with its inverter a port is gone', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port: takenPort } = taken.address() as { port: number }
  await using gateway = await startGateway()
  const port = await share(gateway)
  const { settings } = await view(gateway)
  const onTaken = { ...settings, inverters: [{ device_id: 'main', port: takenPort }] }
  const { ports } = (await gateway.operate('PUT', path, onTaken)) as SharedPortView
  assert.deepEqual([ports[0]?.state, ports[0]?.error], ['failed', 'Another program uses the port'])
  taken.close()
  await eventually(
    async () => (await view(gateway)).ports[0]?.state,
    (state) => state === 'listening',
    { what: 'the port that is free again' },
  )
  await gateway.operate('PUT', path, settings)
  for (const [changes, message] of [
    [{ inverters: [{ device_id: 'nobody', port }] }, /inverters\.0\.device_id/],
    [{ inverters: [{ device_id: 'main', port: 0 }] }, /inverters\.0\.port/],
    [{ clients: [{ name: 'x', network: 'house', may_write: [] }] }, /clients\.0\.network/],
    [{ clients: [{ name: 'x', network: '10.0.0.1', may_write: ['no_such_metric'] }] }, /clients\.0\.may_write/],
  ] as const)
    await assert.rejects(gateway.operate('PUT', path, { ...settings, ...changes }), message, JSON.stringify(changes))
  await gateway.stop()

  await using again = await startGateway({ folder: gateway.folder, inverter: gateway.inverter })
  await again.isReady()
  await using client = await connectClient(port)
  await client.read('battery_soc')
  await again.operate('DELETE', '/admin/api/devices/main')
  await client.closed()
  assert.deepEqual((await view(again)).settings.inverters, [])
})
