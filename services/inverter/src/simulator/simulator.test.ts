import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createFastTimers, createLog } from '@hearth/runtime'
import { eventually, temporaryDirectory } from '@hearth/testing'
import * as fc from 'fast-check'
import { loadCatalog } from '../catalog/catalog.ts'
import { encodeFrame, encodeRequest, type Frame } from '../protocol/frame.ts'
import { createFrameParser } from '../protocol/parser.ts'
import { decodeValue, encodeValue } from '../protocol/wire-value.ts'
import { followFaultsFile } from './faults.ts'
import { advancePlant, maxBatteryPower, newPlant, type BatteryControl, plantRegisters } from './plant.ts'
import { openReplay } from './simulate-command.ts'
import type { SimulatorOptions } from './simulator-options.ts'
import { startSimulator } from './simulator.ts'

const catalog = loadCatalog()
const idOf = (name: string) => catalog.byName(name)!.objectId

/** A client that only speaks the protocol. */
async function open(t: TestContext, options: Partial<SimulatorOptions> = {}) {
  const timers = options.timers ?? createFastTimers(50)
  const simulator = await startSimulator({ port: 0, timers, catalog, ...options })
  t.after(() => simulator.close())
  const joinLine = async () => {
    const socket = connect(simulator.port, '127.0.0.1')
    t.after(() => socket.destroy())
    const frames: Frame[] = []
    const parser = createFrameParser({
      onFrame: (frame) => frames.push({ ...frame, payload: Uint8Array.from(frame.payload) }),
    })
    socket.on('data', (bytes: Buffer) => {
      parser.push(bytes)
      parser.idle()
    })
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.once('connect', resolve))
    const read = async (name: string, address?: number) => {
      const before = frames.length
      socket.write(encodeRequest('read', idOf(name), address))
      const answers = () => frames.slice(before).find((frame) => frame.objectId === idOf(name))
      const answer = await eventually(answers, (found) => found !== undefined, { what: name, everyMs: 1 })
      return answer!
    }
    const write = (name: string, value: number | boolean, address?: number) =>
      socket.write(
        encodeFrame({
          command: 'write',
          address,
          objectId: idOf(name),
          payload: encodeValue(catalog.byName(name)!.type, value),
        }),
      )
    return { socket, frames, parser, read, write }
  }
  return { simulator, join: joinLine, timers, ...(await joinLine()) }
}

const wholeDay = 86_400_000
const noon = Date.UTC(2026, 5, 21, 12)

test('power adds up to zero, and the battery stays within its limits', () => {
  const control: fc.Arbitrary<BatteryControl> = fc.record({
    strategy: fc.constantFrom(0, 2, 4),
    setpoint: fc.integer({ min: -9000, max: 9000 }),
    mayChargeFromGrid: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1000 }),
      fc.array(control, { minLength: 1, maxLength: 8 }),
      (seed, controls) => {
        let plant = newPlant(noon, 0.5)
        for (const one of controls) {
          plant = advancePlant(plant, plant.at + wholeDay / 24, { seed, control: one })
          assert.ok(Math.abs(plant.solarA + plant.solarB + plant.battery + plant.grid - plant.load) < 1e-6)
          assert.ok(plant.soc >= 0 && plant.soc <= 1, String(plant.soc))
          assert.ok(Math.abs(plant.battery) <= maxBatteryPower)
        }
      },
    ),
  )
})

test('daily counters reset at midnight, total counters do not', () => {
  const control = { strategy: 4, setpoint: 0, mayChargeFromGrid: false }
  const evening = plantRegisters(advancePlant(newPlant(noon), noon + wholeDay / 3, { seed: 1, control }))
  const later = advancePlant(newPlant(noon), noon + wholeDay / 2 + 3_600_000, { seed: 1, control })
  const night = plantRegisters(later)
  assert.ok(evening['energy_e_load_day']! > 2000)
  assert.ok(night['energy_e_load_day']! < 1000 && night['energy_e_load_day']! > 0)
  assert.ok(night['energy_e_load_total']! > evening['energy_e_load_total']!)
})

test('the battery follows the control registers', () => {
  const run = (control: BatteryControl, at = noon) => advancePlant(newPlant(at), at, { seed: 1, control })
  const own = run({ strategy: 4, setpoint: 3000, mayChargeFromGrid: false })
  assert.ok(Math.abs(own.grid) < 1 || Math.abs(own.battery) === maxBatteryPower)
  const midnight = Date.UTC(2026, 5, 21, 0)
  assert.equal(run({ strategy: 2, setpoint: -2000, mayChargeFromGrid: true }, midnight).battery, -2000)
  assert.equal(run({ strategy: 2, setpoint: -2000, mayChargeFromGrid: false }, midnight).battery, 0)
  assert.equal(run({ strategy: 2, setpoint: 1500, mayChargeFromGrid: false }, midnight).battery, 1500)
  assert.equal(run({ strategy: 2, setpoint: 0, mayChargeFromGrid: true }).battery, 0)
})

test('a read of any catalog object returns a value of its type', async (t) => {
  const { read } = await open(t)
  for (const object of catalog.objects) {
    const { payload } = await read(object.name)
    if (object.structHint === undefined) assert.doesNotThrow(() => decodeValue(object.type, payload), object.name)
    else assert.ok([48, 96, 108].includes(payload.length), object.name)
  }
})

test('writes take effect without an answer', async (t) => {
  const { read, write, frames } = await open(t)
  write('power_mng_soc_strategy', 2)
  const { payload } = await read('power_mng_soc_strategy')
  assert.equal(payload[0], 2)
  assert.equal(frames.length, 1)
})

test('registered values arrive at once and then every interval, until the interval is zero', async (t) => {
  const { write, socket, frames, simulator } = await open(t)
  write('pas_period', 5)
  socket.write(encodeRequest('read-periodically', idOf('battery_soc')))
  await eventually(
    () => frames.length,
    (count) => count >= 4,
  )
  write('pas_period', 0)
  await eventually(
    () => simulator.registers.get('pas_period'),
    (value) => value === 0,
  )
  const before = frames.length
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.ok(frames.length - before <= 1)
})

test('every client receives every answer, as on the real shared line', async (t) => {
  const { read, join } = await open(t)
  const other = await join()
  await read('battery_soc')
  await eventually(
    () => other.frames.length,
    (count) => count === 1,
  )
})

test('a second request aborts the answer being sent', async (t) => {
  const { socket, frames, simulator } = await open(t, { faults: { byteByByteMs: 1000 } })
  socket.write(encodeRequest('read', idOf('battery_soc')))
  await eventually(
    () => simulator.wire.length,
    (count) => count > 4,
  )
  socket.write(encodeRequest('read', idOf('inverter_state')))
  await eventually(
    () => frames.length,
    (count) => count > 0,
  )
  assert.deepEqual(
    frames.map((frame) => frame.objectId),
    [idOf('inverter_state')],
  )
  assert.equal(simulator.maxOpenReads, 2)
})

test('further inverters of a plant have their own registers, and unknown addresses do not answer', async (t) => {
  const slaves = [{ networkId: 7, name: 'Garage', serial: 'SIM7' }]
  const { read, write, socket, frames } = await open(t, { slaves })
  write('power_mng_soc_strategy', 1, 7)
  assert.deepEqual([...(await read('power_mng_soc_strategy', 7)).payload], [1])
  assert.deepEqual([...(await read('power_mng_soc_strategy')).payload], [4])
  socket.write(encodeRequest('read', idOf('battery_soc'), 8))
  const { address } = await read('battery_soc', 7)
  assert.equal(address, 7)
  assert.equal(frames.filter((frame) => frame.objectId === idOf('battery_soc')).length, 1)
})

test('long answers have the right content whatever length they declare', async (t) => {
  for (const longLength of ['wrong', 'right', 'small', 'large'] as const) {
    const { socket, frames } = await open(t, { faults: { longLength } })
    const payload = encodeValue('int32', Math.floor(Date.now() / 1000))
    for (let count = 1; count <= 9; count += 1) {
      socket.write(
        encodeFrame({ command: 'write', address: undefined, objectId: idOf('logger_minutes_soc_log_ts'), payload }),
      )
      await eventually(
        () => frames.length,
        (length) => length === count,
      )
      assert.equal(frames.at(-1)?.command, 'long-response')
      assert.equal(frames.at(-1)?.payload.length, 4 + 60 * 8, longLength)
    }
  }
})

test('state is kept in a file and loaded at the next start', async (t) => {
  await using folder = await temporaryDirectory('state')
  const stateFile = join(folder.path, 'state.json')
  const first = await open(t, { stateFile })
  first.write('power_mng_battery_power_extern', -1500)
  await first.read('battery_soc')
  first.simulator.setSoc(0.8)
  await first.simulator.close()
  const kept = JSON.parse(readFileSync(stateFile, 'utf8')) as { battery_soc: number; registers: object }
  assert.deepEqual(kept.registers, { power_mng_battery_power_extern: -1500 })
  assert.ok(Math.abs(kept.battery_soc - 0.8) < 0.01)
  const second = await open(t, { stateFile })
  assert.equal(second.simulator.registers.get('power_mng_battery_power_extern'), -1500)
  writeFileSync(stateFile, '{"battery_soc": 7}')
  await assert.rejects(
    startSimulator({ port: 0, timers: createFastTimers(1), catalog, stateFile }),
    /--state: .* is not a state/,
  )
})

test('a faults file is applied, reloaded when it changes, and refused with the name of an invalid member', async (t) => {
  await using folder = await temporaryDirectory('faults')
  const file = join(folder.path, 'faults.json')
  const { simulator, read } = await open(t)
  writeFileSync(file, '{"values": {"battery_status": 8}}')
  const log = createLog({ name: 'test', level: 'silent' })
  const stop = followFaultsFile(file, { log, apply: (faults) => simulator.setFaults(faults) })
  t.after(stop)
  const status = async () => decodeValue('int32', (await read('battery_status')).payload)
  assert.equal(await status(), 8)
  writeFileSync(file, '{"values": {"battery_status": 4096}}')
  await eventually(status, (value) => value === 4096)
  writeFileSync(file, '{"silence": true}')
  assert.throws(() => followFaultsFile(file, { log, apply: () => undefined }), /--faults: .*silence/)
})

test('a replayed capture answers instead of the registers', async (t) => {
  await using folder = await temporaryDirectory('replay')
  const file = join(folder.path, 'capture.jsonl')
  const line = { direction: 'received', command: 'response', address: null, object_id: '0x959930BF' }
  writeFileSync(file, ['3f000000', '3f400000'].map((payload) => JSON.stringify({ ...line, payload })).join('\n'))
  const { read } = await open(t, { replay: openReplay(file) })
  const values = []
  for (let count = 0; count < 3; count += 1) values.push(decodeValue('float', (await read('battery_soc')).payload))
  assert.deepEqual(values, [0.5, 0.75, 0.5])
  writeFileSync(file, 'nonsense')
  assert.throws(() => openReplay(file), /--replay: .*line 1 is not a recorded frame/)
})
