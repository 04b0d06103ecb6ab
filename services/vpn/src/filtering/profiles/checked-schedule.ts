import { invalidField } from '../../problems.ts'
import { isTimeZone, type Schedule, weekdays } from './schedule.ts'
import type { DnsProfileRow } from './tables.ts'

interface ScheduleContext {
  /** Id of the profile that it is for. */
  readonly id: string
  readonly others: readonly Pick<DnsProfileRow, 'id' | 'schedule'>[]
}

/** Returns a schedule in the form it is stored in. Throws a `Problem` that names the member which cannot be. */
export function checkedSchedule(schedule: Schedule | null, context: ScheduleContext): Schedule | null {
  if (schedule === null) return null
  const { time_zone: zone, times, otherwise } = schedule
  if (zone !== null && !isTimeZone(zone)) throw invalidField('schedule.time_zone', 'is no time zone', 'unknown')
  for (const [index, { from, to }] of times.entries())
    if (from === to)
      throw invalidField(`schedule.times.${index}.to`, 'is the same as `from`; a whole day is 00:00 to 24:00')
  if (otherwise !== null) checkOtherwise(otherwise, context)
  return {
    time_zone: zone,
    times: times.map(({ days, from, to }) => ({ days: weekdays.filter((day) => days.includes(day)), from, to })),
    otherwise,
  }
}

/** The profile for the rest of the time may have a schedule too, but none that leads back. */
function checkOtherwise(otherwise: string, { id, others }: ScheduleContext): void {
  const path = 'schedule.otherwise'
  if (otherwise === id) throw invalidField(path, 'must be another profile')
  let next: string | null = otherwise
  for (const seen = new Set([id]); next !== null;) {
    if (seen.has(next)) throw invalidField(path, 'leads back to this profile')
    seen.add(next)
    const row = others.find((other) => other.id === next)
    if (row === undefined) throw invalidField(path, 'is no profile', 'unknown')
    next = row.schedule === null ? null : ((JSON.parse(row.schedule) as Schedule | null)?.otherwise ?? null)
  }
}
