import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { DispatchService } from '../../src/dispatch/dispatch.ts'
import type { DispatchStore } from '../../src/dispatch/store.ts'
import { Plant } from './plant.ts'
import { submitter, DispatchFixture } from './fixture.ts'

/** A process that crashes at its nth database write: after it nothing is stored or sent. */
class Mortal {
  readonly died = Promise.withResolvers<void>()
  isDead = false
  persisted = 0
  readonly #at: number
  readonly #after: boolean

  constructor(at: number, after: boolean) {
    this.#at = at
    this.#after = after
  }

  wrap = (store: DispatchStore): DispatchStore => ({
    ...store,
    save: async (deviceId, row) => {
      if (this.isDead) return never()
      this.persisted += 1
      if (this.persisted < this.#at) return store.save(deviceId, row)
      this.isDead = true
      if (this.#after) await store.save(deviceId, row)
      this.died.resolve()
      return never()
    },
  })

  /** The device as the crashing process reaches it. */
  reach(plant: Plant, timers: DispatchFixture['timers']): Plant {
    const reached = new Plant('a', timers)
    reached.readFresh = (name) => (this.isDead ? never() : plant.readFresh(name))
    reached.writeConfirmed = (name, value, cause) => (this.isDead ? never() : plant.writeConfirmed(name, value, cause))
    return reached
  }
}

const never = () => new Promise<never>(() => undefined)
const quick = { everyMs: 2, seconds: 20 }

/** A run with a start, writes of the control loop, a replacement and a stop. */
async function live(fixture: DispatchFixture, service: DispatchService, mortal: Mortal): Promise<void> {
  await service.submit('a', fixture.request('discharge_to_load'), submitter)
  for (const loadW of [2500, 300]) {
    const commanded = service.read('a').commanded_power_w
    fixture.plant.loadW = loadW
    await eventually(
      () => service.read('a').commanded_power_w,
      (watts) => watts !== commanded || mortal.isDead,
      quick,
    )
  }
  await service.submit('a', fixture.request('charge_from_grid'), submitter)
  await service.stop('a')
}

/** Runs until the nth database write, then restarts. Returns the number of writes and whether the crash happened. */
async function dieAndRecover(at: number, after: boolean): Promise<{ persisted: number; isDead: boolean }> {
  await using fixture = new DispatchFixture()
  const before = { ...fixture.plant.registers }
  const mortal = new Mortal(at, after)
  const service = await fixture.start(mortal.wrap, mortal.reach(fixture.plant, fixture.timers))
  await Promise.race([live(fixture, service, mortal), mortal.died.promise])
  if (!mortal.isDead) return mortal
  service.close = () => Promise.resolve()
  const what = `persistence ${at}`
  const next = await fixture.start()
  // No operation starts before the settings are restored.
  if (next.activeOperation('a') !== undefined) {
    await assert.rejects(next.submit('a', fixture.request('hold'), submitter), { code: 'dispatch_restore_required' })
    assert.deepEqual(next.readiness('a'), { corrupt: false, restorePending: true, recovered: false })
  }
  await next.recover()
  const { state, restore_required } = next.read('a')
  assert.deepEqual(fixture.plant.registers, before, what)
  assert.deepEqual([state, restore_required], ['idle', false], what)
  assert.deepEqual(next.readiness('a'), { corrupt: false, restorePending: false, recovered: true })
  const rows = await (await fixture.database()).query.selectFrom('dispatch_records').selectAll().execute()
  assert.ok(rows.length === 0 || rows[0]?.state === 'idle', what)
  const last = fixture.plant.writes.slice(-5)
  assert.ok(
    last.every(({ cause }) => cause?.cause === 'restore'),
    what,
  )
  return mortal
}

for (const after of [false, true])
  test(`after a kill ${after ? 'right after' : 'right before'} any database write a restart restores the device and resumes nothing`, async () => {
    const { persisted } = await dieAndRecover(Infinity, after)
    assert.ok(persisted > 30 && persisted < 100, String(persisted))
    const points = Array.from({ length: persisted }, (_, index) => index + 1)
    let deaths = 0
    for (let next = 0; next < points.length; next += 8) {
      const lives = await Promise.all(points.slice(next, next + 8).map((at) => dieAndRecover(at, after)))
      deaths += lives.filter(({ isDead }) => isDead).length
    }
    // The control loop may write once less than in the counted run.
    assert.ok(deaths >= persisted - 2, String(deaths))
  })

test('a restart keeps trying to restore a device that was unreachable before', async () => {
  await using fixture = new DispatchFixture()
  const before = { ...fixture.plant.registers }
  const first = await fixture.start()
  await first.submit('a', fixture.request('charge_from_grid'), submitter)
  fixture.plant.hinder = ({ kind }) => (kind === 'write' ? 'unreachable' : undefined)
  await first.stop('a')
  await first.close()
  const attempts = first.read('a').restore_attempts
  const second = await fixture.start()
  await second.recover()
  assert.equal(second.read('a').state, 'fault_restore_pending')
  assert.equal(second.read('a').restore_attempts, attempts + 1)
  assert.equal(second.read('a').stop_reason, 'operator_cancelled')
  fixture.plant.hinder = () => undefined
  await eventually(
    () => second.read('a').state,
    (state) => state === 'idle',
    { ...quick, seconds: 30 },
  )
  assert.deepEqual(fixture.plant.registers, before)
})
