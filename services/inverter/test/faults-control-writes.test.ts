import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import {
  dispatchPath,
  journalOf,
  onWrite,
  ownSettings,
  register,
  registersOf,
  start,
  startWithBattery,
  stop,
  wish,
  writesOf,
} from './battery.ts'
import { main, type TestGateway } from './in-process.ts'

const targetPath = main(`/metrics/${register.target}`)

async function startWriting(): Promise<TestGateway> {
  const gateway = await startWithBattery()
  await gateway.allowWriting('battery_soc_target', 'pas_period', 'com_service')
  return gateway
}

test('33 a register that ignores a write: 502 with the value read back, and one unconfirmed journal entry', async () => {
  await using gateway = await startWriting()
  gateway.inverter.setFaults({ stuck: [register.target] })
  const reply = await gateway.call('PUT', targetPath, { value: 0.6 })
  assert.deepEqual([reply.status, reply.body.code], [502, 'write_outcome_unknown'], reply.text)
  assert.equal(reply.body.readback_value, ownSettings[register.target])
  assert.equal(writesOf(gateway.inverter).length, 1)
  const [entry] = await journalOf(gateway)
  assert.deepEqual(
    [entry?.outcome, entry?.new_value, entry?.readback_value],
    ['unconfirmed', 0.6, ownSettings[register.target]],
  )
  gateway.inverter.clearFaults()
  const again = await gateway.call('PUT', targetPath, { value: 0.6 })
  assert.deepEqual([again.status, again.body.confirmed], [200, true], again.text)
})

test('34 a write that takes effect after two seconds is confirmed; one that takes a minute has an unknown outcome', async () => {
  await using gateway = await startWriting()
  gateway.inverter.setFaults({ writeDelayMs: 2000 })
  const begun = gateway.timers.monotonic()
  const late = await gateway.call('PUT', targetPath, { value: 0.6 })
  assert.deepEqual([late.status, late.body.readback_value], [200, Math.fround(0.6)], late.text)
  assert.ok(gateway.timers.monotonic() - begun >= 2000)
  gateway.inverter.setFaults({ writeDelayMs: 60_000 })
  const tooLate = await gateway.call('PUT', targetPath, { value: 0.8 })
  assert.deepEqual([tooLate.status, tooLate.body.code], [502, 'write_outcome_unknown'])
  assert.equal(tooLate.body.readback_value, Math.fround(0.6))
  await eventually(
    () => gateway.inverter.registers.get(register.target),
    (value) => value === Math.fround(0.8),
  )
})

test('34 a dispatch starts and stops on a device that applies writes after 1.5 seconds', async () => {
  await using gateway = await startWriting()
  gateway.inverter.setFaults({ writeDelayMs: 1500 })
  const begun = await start(gateway, 'charge_from_grid')
  assert.deepEqual([begun.status, begun.body.state], [200, 'charging'], begun.text)
  const ended = await stop(gateway)
  assert.equal(ended.body.state, 'idle', ended.text)
  assert.deepEqual(registersOf(gateway.inverter), ownSettings)
})

test('33 a device that stops answering at a write is given up after two timeouts', async () => {
  await using gateway = await startWriting()
  assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
  let sentAt = 0
  onWrite(gateway.inverter, () => {
    sentAt = gateway.timers.monotonic()
    gateway.inverter.setFaults({ silent: true })
    return 'lose'
  })
  const reply = await stop(gateway)
  const took = gateway.timers.monotonic() - sentAt
  assert.deepEqual([reply.body.state, reply.body.fault_code], ['fault_restore_pending', 'write_outcome_unknown'])
  assert.ok(took < 20_000, String(took))
})

test('35 answers to writes are not unexpected frames, and writes are still confirmed by reading', async () => {
  await using gateway = await startWriting()
  gateway.inverter.setFaults({ answerWrites: true })
  const reply = await gateway.call('PUT', targetPath, { value: 0.6 })
  assert.deepEqual([reply.status, reply.body.confirmed], [200, true], reply.text)
  for (let turn = 0; turn < 3; turn += 1) {
    assert.equal((await start(gateway, 'hold')).status, 200)
    assert.equal((await stop(gateway)).body.state, 'idle')
  }
  const { body } = await gateway.call('GET', '/api/v1/readiness')
  assert.equal(body.devices[0].foreign_access_suspected, false)
  const scraped = await gateway.call('GET', '/metrics')
  assert.match(scraped.text, /unexpected_frames_total\{[^}]*\} 0\n/)
})

test('36 a write is confirmed when the value read back is its 32-bit rounding', async () => {
  await using gateway = await startWriting()
  for (const value of [0.7, 0.1, 1 / 3, 1e-7, 16_777_217]) {
    const reply = await gateway.call('PUT', targetPath, { value })
    assert.deepEqual([reply.status, reply.body.readback_value], [200, Math.fround(value)], reply.text)
  }
  for (const value of [80, 80.0, 55.5, 99.9]) {
    const reply = await gateway.call('PUT', main('/metrics/battery_soc_target'), { value })
    assert.equal(reply.status, 200, reply.text)
    assert.ok(Math.abs(reply.body.readback_value - value) < 1e-5, reply.text)
    assert.equal(gateway.inverter.registers.get('battery_soc_target'), Math.fround(value / 100))
  }
})

test('an action is sent once, its code is read back, and it is never reported as confirmed', async () => {
  await using gateway = await startWriting()
  const act = (value: number) => gateway.call('POST', main('/actions/com_service'), { value })
  const reply = await act(13)
  assert.deepEqual([reply.status, reply.body.action_confirmed, reply.body.readback_value], [200, false, 13], reply.text)
  gateway.inverter.setFaults({ silentFor: ['com_service'] })
  const unknown = await act(0)
  assert.deepEqual([unknown.status, unknown.body.code], [502, 'write_outcome_unknown'], unknown.text)
})

test('the journal lists every write in order with its cause, caller and outcome', async () => {
  await using gateway = await startWriting()
  await gateway.call('PUT', targetPath, { value: 0.6 })
  const first = (await start(gateway, 'charge_from_grid')).body.operation_id
  const second = (await start(gateway, 'hold')).body.operation_id
  onWrite(gateway.inverter, (_name, count) => (count === 2 ? 'lose' : undefined))
  await stop(gateway)
  await eventually(
    async () => (await gateway.call('GET', dispatchPath)).body.state,
    (state) => state === 'idle',
  )
  const entries = await journalOf(gateway)
  const kept = entries.filter(({ metric }) => metric in ownSettings)
  assert.deepEqual(
    kept.map(({ metric, new_value: value }) => [metric, typeof value === 'number' ? Math.fround(value) : value]),
    writesOf(gateway.inverter).map(({ name, value }) => [name, value]),
  )
  assert.deepEqual(
    kept.map(({ cause }) => cause),
    ['api', ...Array(7).fill('dispatch'), ...Array(7).fill('restore')],
  )
  assert.ok(kept.every(({ caller }) => caller === 'test read_write'))
  assert.deepEqual(
    kept.map(({ operation_id: id }) => id),
    [null, ...Array(4).fill(first), ...Array(10).fill(second)],
  )
  assert.deepEqual(
    kept.flatMap(({ outcome }, index) => (outcome === 'confirmed' ? [] : [index])),
    [9],
  )
})

test('the device is restored even when the journal cannot be written', async () => {
  await using gateway = await startWriting()
  const { journal } = gateway.service.app
  const add = journal.add.bind(journal)
  assert.equal((await start(gateway, 'charge_from_grid')).status, 200)
  journal.add = () => Promise.reject(new Error('the disk is full'))
  const ended = await stop(gateway)
  assert.equal(ended.body.state, 'idle', ended.text)
  assert.deepEqual(registersOf(gateway.inverter), { ...ownSettings })
  const written = await gateway.call('PUT', targetPath, { value: 0.6 })
  assert.deepEqual([written.status, written.body.confirmed], [200, true], written.text)
  journal.add = add
})

test('a preview shows what would be written and writes nothing', async () => {
  await using gateway = await startWriting()
  for (const mode of ['charge_from_grid', 'discharge_to_load', 'hold'] as const) {
    const reply = await gateway.call('POST', `${dispatchPath}/preview`, wish(gateway, mode))
    assert.deepEqual([reply.status, reply.body.outcome], [200, 'start'], reply.text)
    assert.equal(reply.body.changes[0].name, register.strategy)
    assert.deepEqual(reply.body.restores.map(({ name, to }: { name: string; to: unknown }) => [name, to]).at(-1), [
      register.strategy,
      ownSettings[register.strategy],
    ])
  }
  assert.deepEqual(writesOf(gateway.inverter), [])
  assert.deepEqual(await journalOf(gateway), [])
  assert.equal((await gateway.call('GET', dispatchPath)).body.state, 'idle')
  const running = (await start(gateway, 'charge_from_grid')).body.operation_id
  const written = writesOf(gateway.inverter).length
  const replacing = await gateway.call('POST', `${dispatchPath}/preview`, wish(gateway, 'hold'))
  assert.equal(replacing.body.outcome, 'replace', replacing.text)
  assert.equal(writesOf(gateway.inverter).length, written)
  assert.equal((await gateway.call('GET', dispatchPath)).body.operation_id, running)
})

for (const [what, bytes] of [
  ['NaN', '7fc00000'],
  ['an infinity', '7f800000'],
] as const)
  test(`7 a write replaces ${what} in a register`, async () => {
    await using gateway = await startWriting()
    gateway.inverter.setFaults({ payloads: { [register.target]: bytes } })
    const before = await gateway.call('GET', `${targetPath}?fresh=true`)
    assert.deepEqual([before.status, before.body.code], [502, 'protocol_error'])
    onWrite(gateway.inverter, () => {
      gateway.inverter.setFaults({ payloads: {} })
      return undefined
    })
    const reply = await gateway.call('PUT', targetPath, { value: 0.6 })
    assert.deepEqual([reply.status, reply.body.confirmed, reply.body.readback_value], [200, true, Math.fround(0.6)])
    const [entry] = await journalOf(gateway)
    assert.deepEqual([entry?.outcome, entry?.old_value, entry?.new_value], ['confirmed', null, 0.6])
  })
