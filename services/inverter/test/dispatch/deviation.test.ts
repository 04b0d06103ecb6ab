import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { Plant } from './plant.ts'
import { submitter, DispatchFixture } from './fixture.ts'

/** A plant whose battery does not follow its setpoint. */
class Unwilling extends Plant {
  givesW = 327

  /** Never twice the same, as a real meter. */
  override get batteryW(): number {
    return this.givesW + Math.random()
  }
}

const quick = { everyMs: 5, seconds: 20 }

async function startCharging(fixture: DispatchFixture) {
  const plant = new Unwilling('a', fixture.timers)
  const service = await fixture.start(undefined, plant)
  await service.submit('a', fixture.request('charge_from_grid', { max_power_w: 3000 }), submitter)
  return { plant, service }
}

test('a battery that does the opposite of a command raises a warning with possible causes', async () => {
  await using fixture = new DispatchFixture()
  const { service } = await startCharging(fixture)
  const view = await eventually(
    () => service.read('a'),
    ({ deviation }) => deviation !== null,
    { ...quick, what: 'a warning' },
  )
  assert.deepEqual([view.commanded_direction, view.commanded_power_w], ['charge', 3000])
  assert.deepEqual([view.measured_direction, Math.floor(view.measured_power_w ?? 0)], ['discharge', 327])
  assert.match(view.deviation?.detail ?? '', /commanded to charge with 3,000 W, but discharges with 32\d W/)
  assert.match(view.deviation?.detail ?? '', /sign of the battery power/)
  assert.ok(fixture.events.some(({ dispatch }) => dispatch.state === 'charging'))
})

test('the warning ends when the battery follows the command', async () => {
  await using fixture = new DispatchFixture()
  const { plant, service } = await startCharging(fixture)
  await eventually(
    () => service.read('a').deviation,
    (deviation) => deviation !== null,
    { ...quick, what: 'a warning' },
  )
  plant.givesW = -2900
  const view = await eventually(
    () => service.read('a'),
    ({ deviation }) => deviation === null,
    { ...quick, what: 'the end of the warning' },
  )
  assert.deepEqual([view.state, view.measured_direction], ['charging', 'charge'])
})
