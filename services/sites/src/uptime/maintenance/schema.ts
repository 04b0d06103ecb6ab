import { z } from 'zod'

const Timestamp = z.iso.datetime({ offset: true })
const Name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')

const TimeZone = z
  .string()
  .max(64)
  .refine((name) => isTimeZone(name), 'must be a time zone such as Europe/Berlin')

/** Longest window, milliseconds: thirty days. */
const maxWindowMs = 30 * 86_400_000

/** Longest weekly window, milliseconds: what repeats must end before it begins again. */
const maxWeeklyMs = 7 * 86_400_000

/** Values of a maintenance window. */
export const MaintenanceWindowValues = z
  .strictObject({
    name: Name,
    site_ids: z
      .array(z.int().positive())
      .min(1)
      .max(1000)
      .nullable()
      .default(null)
      .meta({ description: 'Sites that are in maintenance; null for all' }),
    starts_at: Timestamp,
    ends_at: Timestamp,
    repeats: z.enum(['never', 'weekly']).default('never'),
    time_zone: TimeZone.default('UTC').meta({
      description: 'A weekly window begins at the same time of the day there, whatever summer time does',
    }),
  })
  .superRefine((window, context) => {
    const length = Date.parse(window.ends_at) - Date.parse(window.starts_at)
    const report = (message: string) => context.addIssue({ code: 'custom', path: ['ends_at'], message })
    if (length <= 0) report('must be later than starts_at')
    else if (length > maxWindowMs) report('must be at most 30 days after starts_at')
    else if (window.repeats === 'weekly' && length >= maxWeeklyMs) report('must be less than a week after starts_at')
  })
  .meta({ id: 'MaintenanceWindowValues' })
export type MaintenanceWindowValues = z.infer<typeof MaintenanceWindowValues>

/** A planned time in which sites are not checked, and nobody is notified. */
export const MaintenanceWindow = z
  .object({
    id: z.string(),
    name: z.string(),
    site_ids: z.array(z.int()).nullable(),
    starts_at: z.iso.datetime(),
    ends_at: z.iso.datetime(),
    repeats: z.enum(['never', 'weekly']),
    time_zone: z.string(),
    is_active: z.boolean(),
    next_starts_at: z.iso.datetime().nullable().meta({ description: 'The present or next time; null when it is over' }),
    next_ends_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'MaintenanceWindow' })
export type MaintenanceWindow = z.infer<typeof MaintenanceWindow>

/** The maintenance window that a path names. */
export const WindowParams = z.object({
  id: z
    .string()
    .max(64)
    .regex(/^[^\0]*$/),
})

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
