import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import type { ConnectionResult } from '../src/devices/schema.ts'
import type { Faults } from '../src/simulator/faults.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import { catalog, startGateway, type TestGateway } from './in-process.ts'

const check = (gateway: TestGateway, body: object) =>
  gateway.operate('POST', '/admin/api/connection-test', body) as Promise<ConnectionResult>

/** The result of a test of an inverter with these faults that is not configured. */
async function checkFaulty(faults: Partial<Faults>): Promise<ConnectionResult> {
  const timers = createFastTimers(10)
  await using gateway = await startGateway({ timers, device: null })
  const inverter = await startSimulator({ port: 0, timers, catalog, seed: 2, faults })
  try {
    return await check(gateway, { host: '127.0.0.1', port: inverter.port })
  } finally {
    await inverter.close()
  }
}

const states = ({ steps }: ConnectionResult) => steps.map(({ name, state }) => `${name} ${state}`)

test('a connection that works passes every step, with serial number and firmware', async () => {
  const result = await checkFaulty({})
  assert.deepEqual(states(result), [
    'address ok',
    'port ok',
    'protocol ok',
    'checksum ok',
    'identity ok',
    'others ok',
    'speed ok',
  ])
  assert.deepEqual([result.reachable, result.serial, result.firmware], [true, 'SIM000000001', '5687'])
})

for (const [what, faults, last, text] of [
  ['a web server', { otherService: 'http' }, 'protocol failed', /^This is a web server, no inverter/],
  ['an SSH server', { otherService: 'ssh' }, 'protocol failed', /^This is an SSH server/],
  ['a TLS server', { otherService: 'tls' }, 'protocol failed', /^This is a server that speaks TLS/],
  ['maintenance', { bootloader: true }, 'protocol failed', /in maintenance/],
  ['silence', { silent: true }, 'protocol failed', /says nothing/],
  ['a held inverter', { closeOnAccept: true }, 'protocol failed', /closes it at once/],
  ['damaged answers', { flipBit: 60 }, 'protocol failed', /every answer is damaged/],
  ['another client', { foreignReplies: 4 }, 'speed ok', undefined],
  ['a slow line', { latencyMs: 2500 }, 'speed warning', undefined],
  ['no serial number', { silentFor: ['inverter_serial'] }, 'speed ok', undefined],
] as const)
  test(`a test of the connection names ${what}, with what to do`, async () => {
    const result = await checkFaulty(faults as unknown as Partial<Faults>)
    assert.equal(states(result).at(-1), last)
    assert.equal(result.reachable, text === undefined)
    if (text !== undefined) assert.match(result.detail, text)
    const wrong = result.steps.filter(({ state }) => state !== 'ok')
    assert.ok(wrong.length > 0)
    for (const { advice } of wrong) assert.notEqual(advice, null)
    if (what === 'another client') assert.match(wrong[0]?.text ?? '', /also answers another program/)
    if (what === 'no serial number') assert.equal(wrong[0]?.name, 'identity')
  })

test('a closed port and a name without an address are told as that', async () => {
  const timers = createFastTimers(10)
  await using gateway = await startGateway({ timers, device: null })
  const inverter = await startSimulator({ port: 0, timers, catalog })
  await inverter.close()
  const refused = await check(gateway, { host: '127.0.0.1', port: inverter.port })
  assert.deepEqual([refused.reachable, states(refused).at(-1)], [false, 'port failed'])
  assert.match(refused.steps.at(-1)?.advice ?? '', /usually 8899/)
  const unknown = await check(gateway, { host: 'inverter.invalid' })
  assert.deepEqual(states(unknown), ['address failed'])
})

test('a configured inverter is tested over its own connection, and no second one is made', async () => {
  await using gateway = await startGateway({ speed: 10 })
  await gateway.isReady()
  const { connections } = gateway.inverter
  const result = await check(gateway, { host: '127.0.0.1', port: gateway.inverter.port })
  assert.deepEqual([result.reachable, result.firmware, states(result)], [true, '5687', ['protocol ok']])
  assert.equal(gateway.inverter.connections, connections)
})

test('a configured inverter is known by its address, however it is spelled', async () => {
  await using gateway = await startGateway({ speed: 10 })
  await gateway.isReady()
  const { connections } = gateway.inverter
  for (const host of ['localhost', 'LOCALHOST']) {
    const result = await check(gateway, { host, port: gateway.inverter.port })
    assert.deepEqual([result.reachable, states(result)], [true, ['protocol ok']], host)
  }
  assert.equal(gateway.inverter.connections, connections)
})

test('an address that may not be saved may not be tested either', async () => {
  await using gateway = await startGateway({ device: null })
  const browser = await gateway.signIn()
  for (const host of ['http://192.168.1.5/', 'a b', '', '-x'])
    assert.equal((await browser.send('POST', '/admin/api/connection-test', { body: { host } })).status, 422, host)
})
