import { z } from 'zod'
import { severities } from '../message.ts'

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:00')

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Rules of a destination: which events it gets, and when. */
export const NotificationRules = z
  .object({
    classes: z
      .array(z.string().min(1).max(60))
      .max(100)
      .nullable()
      .meta({ description: 'Ids of the event classes it gets; null for all, those of later versions included' }),
    minimum_severity: z.enum(severities),
    time_zone: z
      .string()
      .max(60)
      .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
      .meta({ description: 'Of the quiet hours and the daily digest' }),
    quiet_hours: z
      .object({ from: TimeOfDay, to: TimeOfDay })
      .refine(({ from, to }) => from !== to, { path: ['to'], error: 'must differ from the begin' })
      .nullable()
      .meta({ description: 'Messages wait until their end; critical ones do not' }),
    digest: z
      .discriminatedUnion('every', [
        z.object({ every: z.literal('message') }),
        z.object({ every: z.literal('hour') }),
        z.object({ every: z.literal('day'), at: TimeOfDay }),
      ])
      .meta({ description: 'Each message by itself, or all of an hour or a day as one' }),
  })
  .meta({ id: 'NotificationRules' })
export type NotificationRules = z.infer<typeof NotificationRules>
