import { horizonMs, type Schedule, scheduleAt } from './schedule.ts'

/** A profile, as far as its schedule goes. */
export interface ScheduledProfile {
  readonly id: string
  readonly schedule: Schedule | null
}

/** Which profile holds for the clients of one, and what comes next. */
export interface Holding<Profile> {
  /** Undefined for none. */
  readonly profile: Profile | undefined
  /** Time of the next change, milliseconds since the epoch, and what holds then; undefined when none is near. */
  readonly next: { readonly at: number; readonly profile: Profile | undefined } | undefined
}

/** Number of moments at which nothing changes that are passed over in search of the next change. */
const maxSteps = 500

/** Finds which profile holds for the clients of one at a moment, and when that changes. `others` finds profiles by id. */
export function holdingAt<Profile extends ScheduledProfile>(
  profile: Profile,
  now: number,
  { others, zone }: { readonly others: (id: string) => Profile | undefined; readonly zone: string },
): Holding<Profile> {
  const at = (moment: number) => resolve(profile, moment, { others, zone, seen: new Set() })
  const first = at(now)
  let moment = first.until
  for (let steps = 0; moment !== undefined && moment <= now + horizonMs && steps < maxSteps; steps++) {
    const found = at(moment)
    if (found.profile !== first.profile) return { profile: first.profile, next: { at: moment, profile: found.profile } }
    moment = found.until
  }
  return { profile: first.profile, next: undefined }
}

interface Resolved<Profile> {
  readonly profile: Profile | undefined
  readonly until: number | undefined
}

interface Resolving<Profile> {
  readonly others: (id: string) => Profile | undefined
  readonly zone: string
  readonly seen: Set<string>
}

function resolve<Profile extends ScheduledProfile>(
  profile: Profile,
  now: number,
  context: Resolving<Profile>,
): Resolved<Profile> {
  const { schedule } = profile
  if (schedule === null) return { profile, until: undefined }
  context.seen.add(profile.id)
  const { isOn, until } = scheduleAt(schedule, now, context.zone)
  if (isOn) return { profile, until }
  const other = schedule.otherwise === null ? undefined : context.others(schedule.otherwise)
  if (other === undefined || context.seen.has(other.id)) return { profile: undefined, until }
  const found = resolve(other, now, context)
  return { profile: found.profile, until: earliest(until, found.until) }
}

/** The earlier of two times, either of which may be missing. */
export const earliest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : other === undefined ? one : Math.min(one, other)
