import { batteryFacts } from './battery-facts.ts'
import type { PlanDependencies, PlannedDevice, PlanSubject } from './dependencies.ts'
import { pastCourse } from './past-course.ts'
import { costOfDay, type PastBattery } from './past-day.ts'
import type { PlanSettings } from './schema.ts'
import { hasPlanBefore, latestDays, plansBetween, pricesFrom, writeDay } from './store.ts'

/** Time after midnight before a day is judged: its last slots are stored by then. Milliseconds. */
const settleMs = 600_000

interface Judge {
  readonly dependencies: PlanDependencies
  readonly settings: PlanSettings
  readonly subject: PlanSubject
}

/** Once a day, some minutes after midnight: what yesterday cost, and would have cost without a plan. */
export async function judgeYesterday({ dependencies, settings, subject }: Judge): Promise<void> {
  const { timers, database, history, reports } = dependencies
  if (!settings.carries_out) return
  const zone = history.timeZone()
  const today = Temporal.Instant.fromEpochMilliseconds(timers.now()).toZonedDateTimeISO(zone).startOfDay()
  if (timers.now() - today.epochMilliseconds < settleMs) return
  const yesterday = today.subtract({ days: 1 })
  const date = yesterday.toPlainDate().toString()
  const [latest] = await latestDays(database.query, subject.id, 1)
  if (latest !== undefined && latest.day >= date) return
  if (!(await hasPlanBefore(database.query, subject.id, today.epochMilliseconds))) return
  const { devices } = await batteryFacts({ dependencies, settings, subject })
  // A battery that is away now has its part of yesterday: the day is judged when it is back.
  if (devices.length === 0 || devices.length < subject.devices.filter(mayBePlanned).length) return
  const [from, until] = [yesterday.epochMilliseconds, today.epochMilliseconds]
  const slots = await history.slotsOf(subject.id, from, until)
  const batteries = await Promise.all(
    devices.map(async (device): Promise<PastBattery> => {
      return { device, slots: device.id === subject.id ? slots : await history.slotsOf(device.id, from, until) }
    }),
  )
  const market = await pricesFrom(database.query, from)
  const costs = costOfDay({ from, until, slots, settings, market, zone, batteries })
  if (costs === undefined) return
  const { cost, costWithout } = costs
  const { currency } = settings
  const plans = await plansBetween(database.query, subject.id, { from, until })
  const course = JSON.stringify(pastCourse({ from, until, slots, plans, settings, market, zone }))
  const judged = { device_id: subject.id, day: date, cost, cost_without: costWithout, currency, course }
  await writeDay(database.query, judged)
  const saved = costWithout - cost
  reports.notify({
    class: 'plan.day',
    title: `Yesterday cost ${money(cost)} ${currency}`,
    text: `${money(Math.abs(saved))} ${currency} ${saved >= 0 ? 'less' : 'more'} than without the plan.`,
    path: '/plan',
  })
}

/** An inverter without power limits is never part of a plan. */
const mayBePlanned = ({ maxChargePowerW: charge, maxDischargePowerW: discharge }: PlannedDevice): boolean =>
  charge !== null && discharge !== null

const money = (value: number): string => value.toFixed(2)
