import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { migrations } from '../database/migrations/index.ts'
import { noEnergies, noPowers, slotAt } from '../history/quantities.ts'
import type { Tables } from '../tables.ts'
import type { PlanDependencies } from './dependencies.ts'
import { judgeYesterday } from './judge-day.ts'
import { defaultSettings } from './plan-settings.ts'
import { addPlan, latestDays } from './store.ts'

const device = { id: 'a', displayName: 'a', maxChargePowerW: 2000, maxDischargePowerW: 2000 }
const settings = { ...defaultSettings, enabled: true, carries_out: true }
const now = Date.parse('2026-11-27T01:00:00Z')

test('a day without plans is not judged', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await migrate(database.query, migrations)
  const energies = {
    ...noEnergies,
    load_wh: 100,
    import_wh: 100,
    export_wh: 0,
    pv_wh: 0,
    charge_wh: 0,
    discharge_wh: 0,
  }
  const slotsOf = (_id: string, from: number, until: number) =>
    Promise.resolve(
      Array.from({ length: slotAt(until) - slotAt(from) }, (_, index) =>
        Object.assign({ meter: 1, ac_wh: null, source: 0, slot: slotAt(from) + index, soc: 500 }, energies, {
          ...noPowers,
          load_w: 1200,
          pv_w: 0,
          grid_w: 1200,
          battery_w: 0,
        }),
      ),
    )
  const dependencies = {
    database,
    timers: { now: () => now },
    devices: () => [device],
    isThere: () => true,
    readBattery: () => Promise.resolve({ soc: 0.5, minSoc: 0.07, isStale: false }),
    history: { capacityOf: () => Promise.resolve(9600), slotsOf, timeZone: () => 'UTC' },
    reports: { notify: () => undefined },
  } as unknown as PlanDependencies
  const judge = () => judgeYesterday({ dependencies, settings, subject: { id: 'a', devices: [device] } })
  await judge()
  assert.deepEqual(await latestDays(database.query, 'a', 1), [])
  await addPlan(database.query, 'a', { madeAt: Date.parse('2026-11-26T06:00:00Z'), document: '{"steps":[]}' })
  await judge()
  assert.equal((await latestDays(database.query, 'a', 1))[0]?.day, '2026-11-26')
  await database.close()
})
