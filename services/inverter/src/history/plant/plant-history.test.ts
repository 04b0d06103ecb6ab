import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, systemTimers } from '@hearth/runtime'
import { migrations } from '../../database/migrations/index.ts'
import { plantId, type PlantInverter } from '../../plant/schema.ts'
import type { Tables } from '../../tables.ts'
import { LocalDays } from '../local-days.ts'
import { noPowers, slotAt } from '../quantities.ts'
import { addMeter, dayRows, hourRows, meterOf, removeSlots } from '../store.ts'
import { PlantHistory } from './plant-history.ts'

const days = new LocalDays('UTC')
const slotOf = (time: string) => slotAt(Date.parse(time))
const roof: PlantInverter = { device_id: 'roof', sees_grid: true }
const barn: PlantInverter = { device_id: 'barn', sees_grid: false }
const end = slotOf('2030-01-01T00:00:00Z')

test('older hours and days of the plant stay when an inverter joins, the order changes, and the plant is off and on', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => database.close())
  await migrate(database.query, migrations)
  const { query } = database
  let plant: PlantInverter[] = [roof]
  const history = new PlantHistory({
    database,
    timers: systemTimers,
    log: createLog({ name: 'test', level: 'silent' }),
    days: () => days,
    plant: () => plant,
    changed: () => undefined,
  })
  const refreshed = async (inverters: PlantInverter[]) => {
    plant = inverters
    history.refresh()
    await history.idle()
  }
  const add = async (id: string, time: string) => {
    const energies = { pv_wh: 10, load_wh: 5, import_wh: 0, export_wh: 5, charge_wh: 0, discharge_wh: 0 }
    const slot = { slot: slotOf(time), ...energies, ...noPowers, soc: null, ac_wh: null, source: 0 as const }
    await history.write({ meter: await addMeter(query, id), slots: [slot], days, change: {} })
  }
  const sums = async () => {
    const number = (await meterOf(query, plantId))?.number ?? 0
    const found = await dayRows(query, number, { from: '2020-01-01', until: '2030-01-01' })
    const hours = await hourRows(query, number, { from: 0, until: end / 12 })
    return { days: found.map(({ day, pv_wh: wh }) => [day, wh]), hours: hours.map(({ pv_wh: wh }) => wh) }
  }
  await refreshed([roof])
  await add('roof', '2025-03-01T10:00:00Z')
  for (const time of ['2025-06-01T01:00:00Z', '2025-06-01T12:00:00Z', '2025-06-02T12:00:00Z']) await add('roof', time)
  // The slots of the first days are over; of the day after them only the evening is left.
  for (const id of ['roof', plantId])
    await removeSlots(query, (await meterOf(query, id))?.number ?? 0, {
      from: 0,
      until: slotOf('2025-06-01T11:00:00Z'),
    })
  await add('barn', '2025-06-02T12:00:00Z')
  const older = [
    ['2025-03-01', 10],
    ['2025-06-01', 20],
  ]
  await refreshed([roof, barn])
  const both = { days: [...older, ['2025-06-02', 20]], hours: [10, 10, 10, 20] }
  assert.deepEqual(await sums(), both)
  await refreshed([barn, roof])
  assert.deepEqual(await sums(), both)
  await refreshed([])
  assert.deepEqual(await sums(), both)
  // What an inverter counts meanwhile is added up when the plant is back.
  await add('roof', '2025-06-03T12:00:00Z')
  await add('barn', '2025-06-03T12:00:00Z')
  await refreshed([barn, roof])
  assert.deepEqual((await sums()).days, [...older, ['2025-06-02', 20], ['2025-06-03', 20]])
  await refreshed([roof])
  assert.deepEqual((await sums()).days, [...older, ['2025-06-02', 10], ['2025-06-03', 10]])
})
