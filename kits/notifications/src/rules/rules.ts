import { isAtLeast, type Message } from '../message.ts'
import { firstTime, nextTimeOfDay, minuteOfDay } from './local-time.ts'
import type { NotificationRules } from './schema.ts'

const hourMs = 3_600_000

/** Returns true when a destination with these rules gets the message; one on request is not among all of them. */
export function isWanted(
  rules: NotificationRules,
  { class: name, severity }: Message,
  isOnRequest: boolean = false,
): boolean {
  const isChosen = rules.classes === null ? !isOnRequest : rules.classes.includes(name)
  return isChosen && isAtLeast(severity, rules.minimum_severity)
}

/** Returns the time, milliseconds, from which the message may be sent: the digest's, then the end of the quiet hours. */
export function dueAt(rules: NotificationRules, message: Message, now: number): number {
  const due = digestTime(rules, now)
  return isUrgent(message) ? due : afterQuietHours(rules, due)
}

/** Returns the same time, or the end of the quiet hours that it lies in. */
export function afterQuietHours({ quiet_hours: quiet, time_zone: timeZone }: NotificationRules, at: number): number {
  if (quiet === null) return at
  const [from, to] = [minuteOfDay(quiet.from), minuteOfDay(quiet.to)]
  const isQuiet = (minute: number) => (from < to ? minute >= from && minute < to : minute >= from || minute < to)
  return firstTime(at, timeZone, (minute) => !isQuiet(minute))
}

/** Critical messages pass through quiet hours; that something critical ended can wait. */
export function isUrgent({ severity, state }: Message): boolean {
  return severity === 'critical' && state !== 'ended'
}

function digestTime({ digest, time_zone: timeZone }: NotificationRules, now: number): number {
  switch (digest.every) {
    case 'message':
      return now
    case 'hour':
      return (Math.floor(now / hourMs) + 1) * hourMs
    case 'day':
      return nextTimeOfDay(now, timeZone, minuteOfDay(digest.at))
  }
}
