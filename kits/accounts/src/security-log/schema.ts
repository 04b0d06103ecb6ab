import { z } from 'zod'
import { describeUserAgent } from '../sessions/describe-user-agent.ts'
import { securityEventKinds, signInFailures, signInMethods } from './security-event.ts'
import type { SecurityEventRow } from './tables.ts'

/** An event of the security log. */
export const SecurityEvent = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    kind: z.enum(securityEventKinds),
    username: z.string().nullable().meta({ description: 'Who did it; null for nobody known' }),
    address: z.string().nullable().meta({ description: 'Where from; null for the command line' }),
    device: z.string().nullable().meta({ description: 'Browser and system, as the browser named itself' }),
    method: z.enum(signInMethods).nullable(),
    reason: z.enum(signInFailures).nullable().meta({ description: 'Why a sign-in failed' }),
    target: z.string().nullable().meta({ description: 'Token, passkey, user or right that it is about' }),
    detail: z.string().nullable(),
  })
  .meta({ id: 'SecurityEvent' })
export type SecurityEvent = z.infer<typeof SecurityEvent>

/** Query that narrows the security log. */
export const SecurityLogFilter = z.object({
  kind: z.enum(securityEventKinds).optional(),
  search: z
    .string()
    .max(100)
    .regex(/^[^\0]*$/, 'must not contain a null character')
    .optional()
    .meta({ description: 'Part of a user name, of what it is about, or of an address' }),
})
export type SecurityLogFilter = z.infer<typeof SecurityLogFilter>

/** Query that reads one page of the security log. */
export const SecurityLogQuery = SecurityLogFilter.extend({
  limit: z.coerce.number().int().min(1).max(100).default(25),
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
})
export type SecurityLogQuery = z.infer<typeof SecurityLogQuery>

/** Answer with one page of the security log. */
export const SecurityLogPage = z
  .object({ events: z.array(SecurityEvent), total: z.int().min(0).meta({ description: 'On all pages' }) })
  .meta({ id: 'SecurityLogPage' })

/** Returns the wire form of an event. */
export function eventOfRow(row: SecurityEventRow): SecurityEvent {
  const { id, kind, username, address, method, reason, target, detail } = row
  const device = describeUserAgent(row.user_agent ?? '')
  return { id, at: new Date(row.at).toISOString(), kind, username, address, device, method, reason, target, detail }
}
