import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Timers } from '@hearth/runtime'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { sql } from 'kysely'
import { readConfig } from '../src/config.ts'
import { openStorage } from '../src/database/open.ts'
import { LocalDays } from '../src/history/local-days.ts'
import { noEnergies, noPowers, slotAt, type Slot } from '../src/history/quantities.ts'
import { addMeter, deleteOld, writeSlots } from '../src/history/store.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import { catalog, main, startGateway, type TestGateway } from './in-process.ts'
import { configureHistory, noonTimers, slotsStored, stored, sumOf } from './history-fixture.ts'

const view = (gateway: TestGateway) =>
  gateway.operate('GET', '/admin/api/energy-history') as Promise<{
    devices: { slots: number; filling: { state: string; detail: string | null; checked_until: string | null } }[]
  }>

const noFilling = (gateway: Parameters<typeof configureHistory>[0]) => configureHistory(gateway, { fills_gaps: false })

test('the history holds what the inverter has counted, and the day is the sum of its slots', async () => {
  await using gateway = await startGateway({ timers: noonTimers() })
  await noFilling(gateway)
  const first = await slotsStored(gateway, 1)
  const begin = gateway.inverter.plant.energy.load
  const buckets = await slotsStored(gateway, first.length + 5)
  const grown = gateway.inverter.plant.energy.load - begin
  const added = sumOf(buckets.slice(first.length), 'load_wh')
  assert.ok(Math.abs(added - grown) < 0.3 * grown + 30, `${added} Wh stored, ${grown} Wh counted`)
  for (const [index, { start, source, known, load_w, load_wh }] of buckets.entries()) {
    assert.equal(Date.parse(start), Date.parse(buckets[0]?.start ?? '') + index * 300_000)
    assert.deepEqual([source, known], ['gateway', 1])
    assert.ok(load_w !== null && load_wh !== null && Math.abs(load_w / 12 - load_wh) < 60, `${load_w} W, ${load_wh} Wh`)
  }
  const day = buckets.at(-1)?.date ?? ''
  const { body } = await gateway.send('GET', main(`/energy-history?period=day&date=${day}`), {
    token: gateway.tokens.read,
  })
  const ofDay = (body.buckets as typeof buckets).filter(({ source }) => source !== null)
  assert.equal(body.balance.load_wh, sumOf(ofDay, 'load_wh'))
  assert.equal(body.buckets.length, 288)
  assert.ok(body.balance.known > 0.5)
  const month = await gateway.call('GET', main(`/energy-history?period=month&date=${day}`))
  assert.ok(month.body.balance.load_wh >= body.balance.load_wh)
  const total = await gateway.call('GET', main('/energy-history?period=total'))
  assert.equal(total.body.buckets.length, 1)
  assert.equal(total.body.first_date, buckets[0]?.date)
})

test('while the inverter was away or the service was down no energy is lost, and the slots between are marked', async () => {
  await using folder = await temporaryDirectory('history')
  const timers = noonTimers()
  await using inverter = await disposable(timers)
  const begin = { folder: folder.path, timers, inverter: inverter.simulator }
  let before = 0
  {
    await using gateway = await startGateway(begin)
    await noFilling(gateway)
    await slotsStored(gateway, 2)
    inverter.simulator.setFaults({ refuse: true })
    const at = timers.now()
    await eventually(
      () => timers.now(),
      (now) => now > at + 1_500_000,
      { what: 'a while', seconds: 60 },
    )
    inverter.simulator.clearFaults()
    const buckets = await eventually(
      () => stored(gateway),
      (found) => found.some(({ source }) => source === 'counter') && found.at(-1)?.source === 'gateway',
      { what: 'the gap', seconds: 60, everyMs: 200 },
    )
    const counted = buckets.filter(({ source }) => source === 'counter')
    assert.ok(counted.length >= 3, `${counted.length} slots`)
    assert.ok(counted.every(({ load_w, load_wh }) => load_w === null && (load_wh ?? 0) > 0))
    before = buckets.length
  }
  const atStop = timers.now()
  await eventually(
    () => timers.now(),
    (now) => now > atStop + 1_500_000,
    { what: 'a while', seconds: 60 },
  )
  await using gateway = await startGateway(begin)
  const all = await slotsStored(gateway, before + 6)
  const gap = all.slice(before).filter(({ source }) => source === 'counter')
  assert.ok(gap.length >= 3, `${gap.length} slots`)
  const period = all.slice(1)
  const hours = period.length / 12
  const mean = sumOf(period, 'load_wh') / hours
  assert.ok(mean > 150 && mean < 6000, `${mean} W`)
  assert.deepEqual(
    all.map(({ start }) => Date.parse(start)),
    all.map((_, index) => Date.parse(all[0]?.start ?? '') + index * 300_000),
  )
})

for (const [what, wrongBy] of [
  ['years ahead', 2 * 365 * 86_400_000],
  ['weeks behind', -60 * 86_400_000],
] as const)
  test(`a start with a clock that is ${what} deletes nothing, and no energy is lost or stored at a wrong time`, async () => {
    await using folder = await temporaryDirectory('history')
    const timers = noonTimers()
    await using inverter = await disposable(noonTimers())
    const begin = { folder: folder.path, timers, inverter: inverter.simulator }
    let before: Awaited<ReturnType<typeof stored>> = []
    let counted = 0
    {
      await using gateway = await startGateway(begin)
      await noFilling(gateway)
      before = await slotsStored(gateway, 2)
      counted = inverter.simulator.plant.energy.load
    }
    timers.jump(wrongBy)
    await using gateway = await startGateway(begin)
    const at = timers.now()
    await eventually(
      () => timers.now(),
      (now) => now > at + 1_200_000,
      { what: 'slots of the wrong time', seconds: 60 },
    )
    await gateway.operate('POST', '/admin/api/energy-history/devices/main/fill')
    const { detail } = await eventually(
      async () => (await view(gateway)).devices[0]?.filling ?? { detail: null },
      (filling) => filling.detail !== null,
      { what: 'why the log is not read' },
    )
    assert.match(detail ?? '', /until the clock of this machine/)
    timers.jump(-wrongBy)
    const all = await slotsStored(gateway, before.length + 5)
    const grown = inverter.simulator.plant.energy.load - counted
    assert.deepEqual(
      all.map(({ start }) => Date.parse(start)),
      all.map((_, index) => Date.parse(before[0]?.start ?? '') + index * 300_000),
    )
    const added = sumOf(all.slice(before.length), 'load_wh')
    assert.ok(Math.abs(added - grown) < 0.3 * grown + 30, `${added} Wh stored, ${grown} Wh counted`)
    const { body } = await gateway.call('GET', main('/energy-history?period=total'))
    assert.equal(body.first_date, before[0]?.date)
  })

test('after three days without the service the history goes on once the clock is believed', async () => {
  await using folder = await temporaryDirectory('history')
  const timers = noonTimers(250)
  await using inverter = await disposable(timers)
  const begin = { folder: folder.path, timers, inverter: inverter.simulator }
  let before = 0
  {
    await using gateway = await startGateway(begin)
    await noFilling(gateway)
    before = (await slotsStored(gateway, 2)).length
  }
  timers.jump(3 * 86_400_000)
  await using gateway = await startGateway(begin)
  const all = await slotsStored(gateway, before + 3 * 288)
  assert.deepEqual(
    all.map(({ start }) => Date.parse(start)),
    all.map((_, index) => Date.parse(all[0]?.start ?? '') + index * 300_000),
  )
  const sampled = all.slice(before + 3 * 288 - 10).filter(({ source }) => source === 'gateway')
  assert.ok(sampled.length >= 5, `${sampled.length} slots were measured while the clock was not believed`)
})

test('gaps are filled from the log of the inverter, which loses to what was measured', async () => {
  await using gateway = await startGateway({ timers: noonTimers(60), simulator: { timeZone: 'Europe/Berlin' } })
  await configureHistory(gateway, { time_zone: 'Europe/Berlin', five_minute_days: 8 })
  await eventually(
    () => view(gateway),
    ({ devices }) => devices[0]?.filling.checked_until != null,
    {
      what: 'a whole log',
      seconds: 120,
      everyMs: 500,
    },
  )
  const buckets = await stored(gateway)
  const logged = buckets.filter(({ source }) => source === 'logger')
  assert.ok(logged.length > 7 * 288, `${logged.length} slots of the log`)
  const starts = buckets.map(({ start }) => start)
  assert.equal(new Set(starts).size, starts.length)
  // The sun of the simulated house stands over Greenwich: what the log says of noon must be at noon.
  const byHour = Map.groupBy(logged, ({ start }) => Number(start.slice(11, 13)))
  const mean = (hour: number) => sumOf(byHour.get(hour) ?? [], 'pv_wh') / (byHour.get(hour)?.length ?? 1)
  assert.equal(mean(5), 0)
  assert.equal(mean(20), 0)
  assert.ok(mean(6) > 0 && mean(19) > 0 && mean(13) > 100, `${mean(6)} ${mean(13)} ${mean(19)}`)
  const whole = logged.find(({ date }) => logged.filter((other) => other.date === date).length === 288)
  const { body } = await gateway.call('GET', main(`/energy-history?period=day&date=${whole?.date}`))
  const { balance } = body
  const out = balance.load_wh + balance.export_wh + balance.charge_wh
  const into = balance.pv_wh + balance.import_wh + balance.discharge_wh
  assert.ok(Math.abs(out - into) < 0.02 * into, `${into} Wh in, ${out} Wh out`)
  assert.deepEqual([balance.known, body.buckets[0].source], [1, 'logger'])
})

test('reading the log goes on after a restart where it was', async () => {
  await using folder = await temporaryDirectory('history')
  const timers = noonTimers(60)
  await using inverter = await disposable(timers)
  const begin = { folder: folder.path, timers, inverter: inverter.simulator }
  {
    await using gateway = await startGateway(begin)
    await configureHistory(gateway, { five_minute_days: 7 })
    await eventually(
      () => stored(gateway),
      (found) => found.filter(({ source }) => source === 'logger').length > 600,
      { what: 'a part of the log', seconds: 60, everyMs: 200 },
    )
  }
  await using gateway = await startGateway(begin)
  await eventually(
    () => gateway.operate('GET', '/admin/api/energy-history') as Promise<{ devices: { filling: { state: string } }[] }>,
    ({ devices }) => devices[0]?.filling.state === 'done',
    { what: 'the whole log', seconds: 120, everyMs: 500 },
  )
  const load = catalog.byName('logger_minutes_eload_log_ts')?.objectId
  const queries = inverter.simulator.wire.filter(({ frame }) => frame?.command === 'write' && frame.objectId === load)
  // 36 stretches of the log, some for its unit before each part, and some that were cut by the restart.
  assert.ok(queries.length <= 60, `${queries.length} requests`)
})

test('a log in watts is understood; one that matches no counter is left alone and says why', async () => {
  await using gateway = await startGateway({ timers: noonTimers(60), simulator: { faults: { loggerUnit: 'W' } } })
  await configureHistory(gateway, { five_minute_days: 7 })
  const buckets = await eventually(
    () => stored(gateway),
    (found) => found.filter(({ source }) => source === 'logger').length > 300,
    { what: 'slots of the log', seconds: 120, everyMs: 500 },
  )
  const logged = buckets.filter(({ source }) => source === 'logger')
  const mean = (12 * sumOf(logged, 'load_wh')) / logged.length
  assert.ok(mean > 200 && mean < 2500, `${mean} W`)

  await using other = await startGateway({
    timers: noonTimers(60),
    simulator: { faults: { values: { energy_e_load_day: 900_000 } } },
  })
  const detail = await eventually(
    async () => {
      const view = (await other.operate('GET', '/admin/api/energy-history')) as {
        devices: { filling: { detail: string | null } }[]
      }
      return view.devices[0]?.filling.detail
    },
    (text) => text != null,
    { what: 'a reason', seconds: 60, everyMs: 200 },
  )
  assert.match(detail ?? '', /does not match its counters/)
  assert.equal((await stored(other)).filter(({ source }) => source === 'logger').length, 0)
})

test('slots that could not be stored lose no energy', async () => {
  await using gateway = await startGateway({ timers: noonTimers() })
  await noFilling(gateway)
  const first = await slotsStored(gateway, 2)
  const { database } = await openStorage(readConfig({ DATA_DIR: gateway.folder }))
  await sql`create trigger full before insert on energy_slots begin select raise(abort, 'disk is full'); end`.execute(
    database.query,
  )
  const now = gateway.timers.now()
  await eventually(
    () => gateway.timers.now(),
    (at) => at > now + 900_000,
    { what: 'three slots', seconds: 60 },
  )
  await sql`drop trigger full`.execute(database.query)
  await database.close()
  const buckets = await slotsStored(gateway, first.length + 4)
  assert.ok(buckets.some(({ source, load_wh: load }) => source === 'counter' && (load ?? 0) > 0))
  assert.deepEqual(
    buckets.map(({ start }) => Date.parse(start)),
    buckets.map((_, index) => Date.parse(buckets[0]?.start ?? '') + index * 300_000),
  )
})

test('the files have every stored slot, and dates in the wrong order are refused', async () => {
  await using gateway = await startGateway({ timers: noonTimers() })
  await noFilling(gateway)
  await slotsStored(gateway, 3)
  const csv = await gateway.send('GET', main('/energy-history.csv'), { token: gateway.tokens.read })
  const [heading = '', ...lines] = csv.text.trim().split('\n')
  assert.match(heading, /^start,date,pv_wh,load_wh,/)
  assert.ok(lines.length >= 3)
  assert.match(lines[0] ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z,\d{4}-\d\d-\d\d,\d+,\d+,/)
  assert.match(String(csv.headers['content-disposition']), /energy-main\.csv/)
  assert.ok((await stored(gateway, '?resolution=hour')).length >= 1)
  assert.equal((await stored(gateway, '?resolution=day')).length >= 1, true)
  assert.deepEqual(await stored(gateway, '?from=2020-01-01&to=2020-02-01'), [])
  const wrong = await gateway.call('GET', main('/energy-history.csv?from=2026-02-01&to=2026-01-01'))
  assert.deepEqual([wrong.status, wrong.body.errors?.[0]?.parameter], [422, 'from'])
  const month = await gateway.call('GET', main('/energy-history?period=month&date=2026-02-30'))
  assert.deepEqual([month.status, month.body.errors?.[0]?.parameter], [422, 'date'])
})

test('settings are checked, a history that is off records nothing, and a removed inverter takes its history along', async () => {
  await using gateway = await startGateway({ timers: noonTimers() })
  await assert.rejects(
    configureHistory(gateway, { time_zone: 'Mars/Base' }),
    /time_zone must be the name of a time zone/,
  )
  await noFilling(gateway)
  await slotsStored(gateway, 2)
  await configureHistory(gateway, { enabled: false })
  const count = (await stored(gateway)).length
  const now = gateway.timers.now()
  await eventually(
    () => gateway.timers.now(),
    (at) => at > now + 1_200_000,
    { what: 'twenty minutes', seconds: 30 },
  )
  assert.equal((await stored(gateway)).length, count)
  assert.equal((await gateway.call('GET', main('/energy-history'))).body.device_id, 'main')
  await assert.rejects(gateway.operate('POST', '/admin/api/energy-history/devices/main/fill'), /history is off/)
  await gateway.operate('DELETE', '/admin/api/devices/main')
  assert.equal((await gateway.call('GET', main('/energy-history'))).body.code, 'unknown_device')
  await gateway.operate('POST', '/admin/api/devices', {
    device_id: 'main',
    host: '127.0.0.1',
    port: gateway.inverter.port,
  })
  assert.deepEqual(await stored(gateway), [])
})

test('in another time zone the days are added up again', async () => {
  await using gateway = await startGateway({ timers: noonTimers() })
  await configureHistory(gateway, { fills_gaps: false, time_zone: 'UTC' })
  const before = await slotsStored(gateway, 3)
  await configureHistory(gateway, { enabled: false, time_zone: 'Pacific/Kiritimati' })
  const total = await gateway.call('GET', main('/energy-history?period=total'))
  assert.equal(total.body.balance.load_wh, sumOf(await stored(gateway), 'load_wh'))
  const days = await stored(gateway, '?resolution=day')
  const slots = await stored(gateway)
  const ahead = new Date(Date.parse(before[0]?.start ?? '') + 14 * 3_600_000).toISOString().slice(0, 10)
  assert.equal(slots[0]?.date, ahead)
  assert.equal(
    sumOf(
      days.filter(({ date }) => date === ahead),
      'load_wh',
    ),
    sumOf(
      slots.filter(({ date }) => date === ahead),
      'load_wh',
    ),
  )
})

/** Dates and energies of all days that are stored. */
const daysOf = async (gateway: TestGateway) =>
  (await stored(gateway, '?resolution=day')).map(({ date, load_wh: load }) => [date, load])

test('in another time zone a day stays whole whose first five minutes are not kept any more', async () => {
  await using gateway = await startGateway({ timers: noonTimers() })
  await configureHistory(gateway, { enabled: false, fills_gaps: false, time_zone: 'Europe/Berlin' })
  const { database } = await openStorage(readConfig({ DATA_DIR: gateway.folder }))
  const days = new LocalDays('Europe/Berlin')
  const [first, last] = [days.on('2026-11-02'), days.on('2026-11-06')]
  const slots = Array.from({ length: slotAt(last.until) - slotAt(first.from) }, (_, index): Slot =>
    Object.assign({}, noEnergies, noPowers, { slot: slotAt(first.from) + index, load_wh: 10, soc: null, source: 0 }),
  )
  const meter = await addMeter(database.query, 'main')
  await writeSlots(database.query, { meter, slots, days, change: {} })
  await deleteOld(database.query, { slot: slotAt(days.on('2026-11-04').from), hour: 0, day: '' })
  await database.close()
  const whole = ['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05', '2026-11-06'].map((date) => [date, 2880])
  assert.deepEqual(await daysOf(gateway), whole)
  // An hour of each day belongs to the day before, and one of the first days is not known any more.
  await configureHistory(gateway, { time_zone: 'Europe/London' })
  assert.deepEqual(await daysOf(gateway), [...whole.slice(0, 4), ['2026-11-06', 2760]])
  await configureHistory(gateway, { time_zone: 'Asia/Tokyo' })
  await configureHistory(gateway, { time_zone: 'Europe/Berlin' })
  assert.deepEqual(await daysOf(gateway), whole)
})

async function disposable(timers: Timers) {
  const simulator = await startSimulator({ port: 0, timers, catalog, seed: 1 })
  return { simulator, [Symbol.asyncDispose]: () => simulator.close() }
}
