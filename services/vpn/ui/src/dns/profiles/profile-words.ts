import type { DnsProfile, DnsProfileState } from '../../api.ts'

type Schedule = NonNullable<DnsProfile['schedule']>
type Day = Schedule['times'][number]['days'][number]

/** Days of the week in their order. */
export const weekdays: readonly { readonly day: Day; readonly label: string; readonly name: string }[] = [
  { day: 'mon', label: 'Mon', name: 'Monday' },
  { day: 'tue', label: 'Tue', name: 'Tuesday' },
  { day: 'wed', label: 'Wed', name: 'Wednesday' },
  { day: 'thu', label: 'Thu', name: 'Thursday' },
  { day: 'fri', label: 'Fri', name: 'Friday' },
  { day: 'sat', label: 'Sat', name: 'Saturday' },
  { day: 'sun', label: 'Sun', name: 'Sunday' },
]

/** Days in few words: `every day`, `Mon to Fri`, `Mon, Wed`. */
export function daysText(days: readonly Day[]): string {
  if (days.length === weekdays.length) return 'Every day'
  const runs: string[][] = []
  for (const [place, { day, label }] of weekdays.entries()) {
    if (!days.includes(day)) continue
    const before = weekdays[place - 1]
    if (before !== undefined && days.includes(before.day)) runs.at(-1)?.push(label)
    else runs.push([label])
  }
  return runs.flatMap((run) => (run.length > 2 ? [`${run[0] ?? ''} to ${run.at(-1) ?? ''}`] : run)).join(', ')
}

/** A schedule as a line for each time. */
export const timeTexts = ({ times }: Schedule): string[] =>
  times.map(({ days, from, to }) =>
    from === '00:00' && to === '24:00' ? `${daysText(days)}, all day` : `${daysText(days)}, ${from} to ${to}`,
  )

/** The settings that hold where no profile does. */
export const noProfile = 'the settings for all devices'

const nameOf = (profile: DnsProfileState['holds']): string => profile?.name ?? noProfile

/** A moment of the days to come: `Fri 27 Nov, 20:00`. */
export function whenText(time: string, locale?: string): string {
  const at = new Date(time)
  const day = at.toLocaleDateString(locale, { weekday: 'short', day: 'numeric', month: 'short' })
  return `${day}, ${at.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })}`
}

/** What holds now, and what comes next, as sentences. */
export function stateText(state: DnsProfileState, own: string, locale?: string): string {
  const { holds, next, paused_until: pausedUntil } = state
  const now = holds?.name === own ? 'Holds now' : `Now ${nameOf(holds)}`
  const paused = pausedUntil === null ? '' : `, paused until ${whenText(pausedUntil, locale)}`
  return `${now}${paused}${next === null ? '' : `; ${nextText(next, own, locale)}`}`
}

function nextText(next: NonNullable<DnsProfileState['next']>, own: string, locale?: string): string {
  const what = next.profile?.name === own ? 'this profile' : nameOf(next.profile)
  return `from ${whenText(next.at, locale)} ${what}`
}
