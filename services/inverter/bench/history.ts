/**
 * Size and speed of the energy history: a year of five-minute values of three inverters in the encrypted database, written as the
 * service writes them, and every chart read as the page reads it. Run by hand: npm run bench -- inverter/history
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStorage } from '../src/database/open.ts'
import { databaseFile } from '../src/database/secret.ts'
import { LocalDays } from '../src/history/local-days.ts'
import { slotAt, slotMs, type Slot } from '../src/history/quantities.ts'
import { readHistory } from '../src/history/read-history.ts'
import { addMeter, writeSlots } from '../src/history/store.ts'

const maxMegabytes = 60
const maxMs = 100
const inverters = 3
const rounds = 60

const days = new LocalDays('Europe/Berlin')
const now = Date.UTC(2027, 5, 15, 12)
const first = days.on('2026-06-15').from

/** Five minutes of a house, different in each slot and inverter, so that nothing compresses or repeats. */
function slotOf(slot: number, inverter: number): Slot {
  const value = (factor: number) => Math.abs(Math.round(Math.sin(slot * factor + inverter) * 4200))
  return {
    slot,
    pv_wh: value(0.01) >> 3,
    load_wh: value(0.7) >> 4,
    import_wh: value(1.3) >> 5,
    export_wh: value(0.9) >> 4,
    charge_wh: value(0.4) >> 5,
    discharge_wh: value(0.3) >> 5,
    pv_w: value(0.01),
    load_w: value(0.7),
    grid_w: value(1.3) - 2000,
    battery_w: value(0.4) - 2000,
    soc: value(0.001) % 1001,
    source: 0,
  }
}

const folder = await mkdtemp(join(tmpdir(), 'hearth-bench-'))
const { database } = await openStorage({ dataDirectory: folder, hmacSecret: undefined })
const { query: db } = database
const begin = performance.now()
for (let inverter = 1; inverter <= inverters; inverter += 1) {
  const meter = await addMeter(db, `inverter-${inverter}`)
  for (const day of days.between(first, now)) {
    const count = Math.min(day.until, now) / slotMs - slotAt(day.from)
    const slots = Array.from({ length: Math.floor(count) }, (_, index) => slotOf(slotAt(day.from) + index, inverter))
    await writeSlots(db, { meter, slots, days, change: { capacity_wh: 9600 } })
  }
}
const written = performance.now() - begin

const step = slotAt(now)
const steps: number[] = []
for (let index = 0; index < rounds; index += 1) {
  const meter = await addMeter(db, 'inverter-1')
  const before = performance.now()
  await writeSlots(db, { meter, slots: [slotOf(step + index, 1)], days, change: { meter: '{}' } })
  steps.push(performance.now() - before)
}

const times: number[] = []
for (let index = 0; index < rounds; index += 1)
  for (const period of ['day', 'month', 'year', 'total'] as const) {
    const deviceId = `inverter-${1 + (index % inverters)}`
    const date = days.at(first + index * 6 * 86_400_000).date
    const before = performance.now()
    const meter = await addMeter(db, deviceId)
    const history = await readHistory({ db, days, now, meter }, { deviceId, period, date })
    JSON.stringify(history)
    times.push(performance.now() - before)
  }
await database.close()
const { size } = await stat(databaseFile(folder))
await rm(folder, { recursive: true })

const p95 = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0
const megabytes = size / 1_000_000
const isMet = megabytes <= maxMegabytes && p95(times) <= maxMs
process.stdout.write(
  [
    `a year of five minutes of ${inverters} inverters: ${megabytes.toFixed(1)} MB, ${(megabytes / maxMegabytes).toFixed(2)} of the limit of ${maxMegabytes} MB (written in ${(written / 1000).toFixed(1)} s)`,
    `any chart: ${p95(times).toFixed(1)} ms at p95, ${(p95(times) / maxMs).toFixed(2)} of the limit of ${maxMs} ms`,
    `one step of one inverter: ${p95(steps).toFixed(1)} ms at p95`,
    isMet ? 'met' : 'NOT met',
    '',
  ].join('\n'),
)
process.exit(isMet ? 0 : 1)
