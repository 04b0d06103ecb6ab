/**
 * What plans are worth: a year of seeded weather, prices and house, planned four times a day with forecasts that are wrong, against
 * the inverter's automatic mode and against plans that know the future. Then the time and memory of one plan of 96 steps and two
 * batteries. Run by hand: npm run bench -- inverter/plans (ten minutes)
 */
import { createRandom } from '@hearth/testing'
import { LoadProfile, type QuarterLoad } from '../src/plans/load/load-profile.ts'
import { makePlan } from '../src/plans/make-plan.ts'
import { automatic, courseOf } from '../src/plans/optimiser/course.ts'
import { optimise } from '../src/plans/optimiser/optimise.ts'
import type { Action, Battery, Site, Step } from '../src/plans/optimiser/site.ts'
import { solveInThread } from '../src/plans/optimiser/solve-in-thread.ts'
import { loadSolver } from '../src/plans/optimiser/solver.ts'
import { defaultSettings } from '../src/plans/plan-settings.ts'
import type { Stretch } from '../src/plans/quarters/quarters.ts'
import type { Plan, PlanSettings } from '../src/plans/schema.ts'
import { batteryOf, type DeviceFacts, type PlanInput } from '../src/plans/site-of.ts'
import { battery, seededDay } from '../test/plans/seeded-days.ts'

const limits = { share: 0.85, worse: 0.01, ms: 2000, mib: 150 }
const days = 365
const quarterMs = 900_000
const begin = Date.UTC(2026, 0, 1)
/** Quarters of a day at which a plan is made; prices of the next day come at 13:00. */
const planned = new Set([0, 24, 53, 72])

const settings: PlanSettings = { ...defaultSettings, enabled: true, price_source: 'file', feed_in_price: 0.07 }
const device: Omit<DeviceFacts, 'soc'> = { id: 'a', capacityWh: 10_000, chargeW: 4000, dischargeW: 4000, minSoc: 0.07 }

interface Quarter {
  readonly loadW: number
  readonly pvW: number
  readonly price: number
}

/** Value of a kilowatt-hour that a month leaves: a little more than feeding it in. */
const storedValue = 0.1
const halfWh = 5000

const random = createRandom(16)
const normal = (): number => random() + random() + random() + random() - 2

/** A year of quarter hours. */
function makeYear(): Quarter[] {
  let level = 0.09
  let clear = 0.5
  return Array.from({ length: days }, (_, day) => {
    const season = -Math.cos(((day + 10) / 365) * 2 * Math.PI)
    level = Math.max(0.03, level + 0.015 * normal() + 0.1 * (0.09 - level))
    clear = Math.min(1, Math.max(0.1, 0.5 * clear + 0.5 * random() + 0.05 * season))
    const isFree = day % 7 >= 5
    return Array.from({ length: 96 }, (_quarter, index): Quarter => {
      const hour = index / 4
      const light = Math.max(0, Math.sin(((hour - 12 + 4 + 2 * season) / (8 + 4 * season)) * Math.PI))
      const isDay = Math.abs(hour - 12) < 4 + 2 * season
      const pvW = isDay ? 6500 * (0.55 + 0.45 * season) * light * clear * (0.75 + 0.5 * random()) : 0
      const morning = 500 * Math.exp(-(((hour - (isFree ? 9.5 : 7)) / 1.2) ** 2))
      const evening = 1100 * Math.exp(-(((hour - 19) / 2) ** 2))
      const loadW =
        (250 + morning + evening + (isFree ? 150 : 0)) * (0.6 + 0.8 * random()) + (random() < 0.02 ? 2000 : 0)
      const peaks = Math.exp(-(((hour - 8) / 1.8) ** 2)) + 1.4 * Math.exp(-(((hour - 19) / 2.2) ** 2))
      const dip = isDay ? 0.09 * clear * (0.4 + 0.6 * season) * light : 0
      const price = level + 0.07 * (peaks - 0.5) - dip + 0.004 * normal()
      return { loadW, pvW: Math.max(0, pvW), price }
    })
  }).flat()
}

const year = makeYear()
const at = (index: number): Quarter => year[Math.min(index, year.length - 1)] ?? { loadW: 0, pvW: 0, price: 0 }
const timeOf = (index: number): number => begin + index * quarterMs
/** Error of the forecast of a day. */
const errors = Array.from({ length: days + 3 }, () => 1 + 0.25 * normal())
const fees = { surcharge: 0.12, tax_percent: 19 }
const tariff: PlanSettings = { ...settings, ...fees }
const stepOf = (index: number): Step => {
  const { loadW, pvW, price } = at(index)
  return {
    hours: 0.25,
    loadW,
    pvW,
    buy: (price + fees.surcharge) * (1 + fees.tax_percent / 100),
    sell: settings.feed_in_price,
  }
}

const day = seededDay(1)
const site: Site = { ...day, batteries: [battery, { ...battery, fullWh: 7000 }] }
const times: number[] = []
const base = process.memoryUsage.rss()
let peak = base
const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5)
for (let round = 0; round < 5; round += 1) {
  const before = performance.now()
  await optimise(site, { minGain: 0.05, suns: [0.6, 1, 1.4] }, solveInThread)
  times.push(performance.now() - before)
}
clearInterval(watch)

const solver = await loadSolver()
const solve = (model: Parameters<typeof solver>[0]) => Promise.resolve(solver(model))

/** Costs of each month and at the end of the year, with a way to forecast or without a plan. */
async function live(forecasts: ((index: number) => Pick<PlanInput, 'forecast' | 'profile'>) | undefined) {
  const months = Array.from({ length: 12 }, () => 0)
  let storedWh = halfWh
  let plan: Plan | undefined
  for (let index = 0; index < year.length; index += 1) {
    if (forecasts !== undefined && planned.has(index % 96)) {
      const known = index - (index % 96) + (index % 96 >= 52 ? 192 : 96)
      const market = Array.from({ length: known - Math.max(0, index - 96) }, (_, offset) => {
        const from = timeOf(Math.max(0, index - 96) + offset)
        return { from, until: from + quarterMs, price: at(Math.max(0, index - 96) + offset).price }
      })
      const facts = { ...device, soc: storedWh / device.capacityWh }
      const input = { now: timeOf(index), zone: 'UTC', settings: tariff, devices: [facts], market, choices: [] }
      plan = await makePlan({ ...input, ...forecasts(index) }, solve)
    }
    const own: Battery = { ...batteryOf(tariff, { ...device, soc: 0 }), storedWh }
    const site: Site = { steps: [stepOf(index)], batteries: [own], gridLimitW: null, feedInLimitW: null, endValue: 0 }
    const [step] = courseOf(site, [[actionAt(plan, timeOf(index))]]).steps
    storedWh = step?.storedWh[0] ?? storedWh
    const month = new Date(timeOf(index)).getUTCMonth()
    months[month] = (months[month] ?? 0) + (step?.cost ?? 0)
    if (new Date(timeOf(index + 1)).getUTCMonth() === month) continue
    // Every month begins with a half full battery, so that none pays for what another left.
    months[month] -= ((storedWh - halfWh) / 1000) * storedValue
    storedWh = halfWh
  }
  return { months, total: months.reduce((sum, cost) => sum + cost, 0) }
}

function actionAt(plan: Plan | undefined, now: number): Action {
  const block = plan?.blocks.find(({ start, end }) => Date.parse(start) <= now && now < Date.parse(end))
  if (block === undefined || now >= Date.parse(plan?.until ?? '')) return automatic
  const watts = block.power_w ?? 0
  if (block.action === 'charge')
    return { kind: 'charge', watts, untilWh: ((block.target_soc_percent ?? 0) / 100) * device.capacityWh }
  return block.action === 'discharge' ? { kind: 'discharge', watts } : { kind: block.action }
}

/** The sun of the next days as it will be, times a factor for each day. */
const sunFrom = (index: number, factor: (day: number) => number): Stretch[] =>
  Array.from({ length: 300 }, (_, offset) => {
    const from = timeOf(index + offset)
    return { from, until: from + quarterMs, value: at(index + offset).pvW * factor(Math.floor((index + offset) / 96)) }
  })

const indexOf = (ms: number): number => Math.round((ms - begin) / quarterMs)
let profile = { day: -1, learned: new LoadProfile([], 'UTC') }
function learnedAt(index: number): LoadProfile {
  const day = Math.floor(index / 96)
  if (day === profile.day) return profile.learned
  const first = Math.max(0, index - 42 * 96)
  const loads = Array.from({ length: index - first }, (_, offset): QuarterLoad => {
    return { from: timeOf(first + offset), watts: at(first + offset).loadW }
  })
  profile = { day, learned: new LoadProfile(loads, 'UTC') }
  return profile.learned
}

const without = await live(undefined)
const real = await live((index) => ({
  forecast: sunFrom(index, (day) => Math.max(0, errors[day] ?? 1)),
  profile: learnedAt(index),
}))
const perfect = await live((index) => ({
  forecast: sunFrom(index, () => 1),
  profile: { at: (ms) => at(indexOf(ms)).loadW },
}))

const share = (without.total - real.total) / (without.total - perfect.total)
const worst = Math.max(
  ...real.months.map((cost, month) => {
    const alone = without.months[month] ?? 0
    return (cost - alone) / Math.abs(alone)
  }),
)
const ms = times.toSorted((a, b) => a - b)[2] ?? Infinity
const mib = (peak - base) / 1_048_576
const isMet = share >= limits.share && worst <= limits.worse && ms <= limits.ms && mib <= limits.mib
process.stdout.write(
  [
    `a year: ${without.total.toFixed(2)} without, ${real.total.toFixed(2)} with plans, ${perfect.total.toFixed(2)} with plans that know the future`,
    `saving: ${share.toFixed(3)} of the perfect one, limit ${limits.share}`,
    `worst month: ${(worst * 100).toFixed(2)} % against automatic, limit ${limits.worse * 100} %`,
    `months without, with: ${without.months.map((cost, month) => `${cost.toFixed(1)} ${real.months[month]?.toFixed(1)}`).join(', ')}`,
    `a plan: ${ms.toFixed(0)} ms, ${(ms / limits.ms).toFixed(2)} of the limit; ${mib.toFixed(0)} MiB more, ${(mib / limits.mib).toFixed(2)} of the limit`,
    isMet ? 'met' : 'NOT met',
    '',
  ].join('\n'),
)
process.exit(isMet ? 0 : 1)
