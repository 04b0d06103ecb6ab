import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startWebhookReceiver } from '@hearth/testing'
import { createFastTimers } from '@hearth/runtime'
import { readConfig } from '../src/config.ts'
import { openStorage } from '../src/database/open.ts'
import { LocalDays } from '../src/history/local-days.ts'
import { slotAt, startOfSlot, type Slot } from '../src/history/quantities.ts'
import { addMeter, writeSlots } from '../src/history/store.ts'
import { main, startGateway, type TestGateway } from './in-process.ts'
import { configurePlans, planWhen } from './plans-fixture.ts'

const zone = 'Europe/Berlin'
const days = new LocalDays(zone)

/** Five minutes of a house that takes 1200 W without sun; the battery charges in the night and gives it back in the evening. */
function slotOf(slot: number, hour: number): Slot {
  const charge = hour >= 1 && hour < 3 ? 100 : 0
  const discharge = hour >= 18 && hour < 20 ? 100 : 0
  const battery = (discharge - charge) * 12
  const soc =
    hour < 1 ? 500 : hour < 3 ? 500 + (hour - 1) * 120 : hour < 18 ? 740 : hour < 20 ? 740 - (hour - 18) * 120 : 500
  return {
    slot,
    pv_wh: 0,
    load_wh: 100,
    import_wh: 100 + charge - discharge,
    export_wh: 0,
    charge_wh: charge,
    discharge_wh: discharge,
    pv_w: 0,
    load_w: 1200,
    grid_w: 1200 - battery,
    battery_w: battery,
    soc: Math.round(soc),
    source: 0,
  }
}

/** Stores a whole day of a device, beside the running service. */
async function fillDay(gateway: TestGateway, date: string, count?: number): Promise<void> {
  const { database } = await openStorage(readConfig({ DATA_DIR: gateway.folder }))
  const meter = await addMeter(database.query, 'main')
  const { from, until } = days.on(date)
  const numbers = Array.from({ length: count ?? slotAt(until) - slotAt(from) }, (_, index) => slotAt(from) + index)
  const slots = numbers.map((slot) => slotOf(slot, (startOfSlot(slot) - from) / 3_600_000))
  await writeSlots(database.query, { meter, slots, days, change: { capacity_wh: 9600 } })
  await database.close()
}

const hook = (url: string) => ({
  name: 'Hook',
  is_enabled: true,
  target: { kind: 'webhook', url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
  rules: {
    classes: ['plan.day'],
    minimum_severity: 'info',
    time_zone: 'UTC',
    quiet_hours: null,
    digest: { every: 'message' },
  },
})

/** A gateway on the evening of a day, with a plan that is carried out and an energy history in Berlin's time. */
async function onEveningOf(date: string, url: string): Promise<TestGateway> {
  const timers = createFastTimers(20, days.on(date).until - 1_800_000)
  const gateway = await startGateway({ timers, environment: { OUTBOUND_ALLOW: '127.0.0.1' } })
  await gateway.isReady()
  await gateway.allowDispatch()
  const { settings } = (await gateway.operate('GET', '/admin/api/energy-history')) as { settings: object }
  // Nothing is recorded, so that the days are those that the test wrote.
  await gateway.operate('PUT', '/admin/api/energy-history', { ...settings, enabled: false, time_zone: zone })
  await gateway.operate('POST', '/admin/api/notifications/destinations', hook(url))
  const windows = [{ days: 'daily', from: '00:00', to: '06:00', price: 0.1 }]
  await configurePlans(gateway, { enabled: true, carries_out: true, fixed_price: 0.4, windows, wear: 0 })
  // A day without a plan is not judged, so there has to be one before midnight.
  await planWhen(gateway, ({ plan }) => plan !== null, 'the plan of the evening')
  return gateway
}

interface PastDays {
  readonly days: readonly { readonly date: string; readonly cost: number; readonly cost_without: number }[]
}

const read = async <T>(gateway: TestGateway, path: string): Promise<T> => {
  const reply = await gateway.send('GET', main(path), { token: gateway.tokens.read })
  if (reply.status !== 200) throw new Error(reply.text)
  return JSON.parse(reply.text) as T
}

const judged = (gateway: TestGateway, count: number) =>
  eventually(
    () => read<PastDays>(gateway, '/plan/days'),
    (found) => found.days.length >= count,
    { what: `${count} judged days`, seconds: 60, everyMs: 200 },
  )

/** Sets the clock to a time of the day after a date, and lets the planner look. */
async function goTo(gateway: TestGateway, date: string, minutes: number): Promise<void> {
  gateway.timers.jump(days.on(date).until + minutes * 60_000 - gateway.timers.now())
  await gateway.operate('POST', '/admin/api/plan/devices/main/renew')
}

test('the morning after, once and not before ten past midnight, the message says what the day cost', async () => {
  await using receiver = await startWebhookReceiver()
  await using gateway = await onEveningOf('2026-11-10', receiver.url)
  await fillDay(gateway, '2026-11-10')
  await goTo(gateway, '2026-11-10', 5)
  assert.deepEqual((await read<PastDays>(gateway, '/plan/days')).days, [], 'the last slots may still come')
  await goTo(gateway, '2026-11-10', 11)
  const { days: list } = await judged(gateway, 1)
  assert.equal(list[0]?.date, '2026-11-10')
  // 7.2 kWh of the house and 2.4 kWh for the battery at 0.10, 19.2 kWh at 0.40.
  assert.equal(list[0]?.cost.toFixed(2), '8.64')
  await eventually(receiver.titles, (titles) => titles.length > 0, { seconds: 30, what: 'the message' })
  assert.deepEqual(receiver.titles(), ['Yesterday cost 8.64 EUR'])
  await goTo(gateway, '2026-11-10', 90)
  await goTo(gateway, '2026-11-10', 600)
  assert.equal(receiver.titles().length, 1, 'it is said once')
  const day = await read<{
    steps: { soc_percent: number | null; planned_soc_percent: number | null; grid_w: number }[]
  }>(gateway, '/plan/days/2026-11-10')
  assert.equal(day.steps.length, 96)
  assert.deepEqual([day.steps[4]?.grid_w, day.steps[12]?.grid_w, day.steps[11]?.soc_percent], [2400, 1200, 73])
  assert.ok(
    day.steps.slice(94).some(({ planned_soc_percent: planned }) => planned !== null),
    'the plan of the evening is part of it',
  )
  assert.ok(day.steps[20]?.planned_soc_percent === null, 'nothing was planned in the night before')
  const other = await gateway.send('GET', main('/plan/days/2026-11-09'), { token: gateway.tokens.read })
  assert.equal(other.status, 404)
})

test('a day of 25 hours is judged as a whole, and one of which too little is known is not', async () => {
  await using receiver = await startWebhookReceiver()
  await using gateway = await onEveningOf('2026-10-25', receiver.url)
  await fillDay(gateway, '2026-10-25')
  await goTo(gateway, '2026-10-25', 15)
  const { days: list } = await judged(gateway, 1)
  assert.equal(list[0]?.date, '2026-10-25')
  const { steps } = await read<{ steps: { start: string }[] }>(gateway, '/plan/days/2026-10-25')
  assert.deepEqual([steps.length, steps[0]?.start], [100, '2026-10-24T22:00:00.000Z'])
  await fillDay(gateway, '2026-10-26', 200)
  await goTo(gateway, '2026-10-26', 15)
  assert.equal((await read<PastDays>(gateway, '/plan/days')).days.length, 1)
  // What was missing came later, from the log of the inverter: the day is judged then.
  await fillDay(gateway, '2026-10-26')
  await goTo(gateway, '2026-10-26', 75)
  await judged(gateway, 2)
})
