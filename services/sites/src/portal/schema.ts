import { z } from 'zod'
import { Label } from '../label-schema.ts'
import { GroupName } from '../sites/sign-in-schema.ts'

const Timestamp = z.iso.datetime()
const userIds = z.array(z.uuid()).max(200)
const id = z
  .string()
  .max(64)
  .regex(/^[^\0]*$/)
  .toLowerCase()

export const AccessGroup = z
  .object({
    name: z.string(),
    user_ids: z.array(z.string()).meta({ description: 'Its members' }),
    created_at: Timestamp,
  })
  .meta({ id: 'AccessGroup' })
export type AccessGroup = z.infer<typeof AccessGroup>

export const AccessGroupCreate = z
  .strictObject({ name: GroupName, user_ids: userIds.default([]) })
  .meta({ id: 'AccessGroupCreate' })
export type AccessGroupCreate = z.infer<typeof AccessGroupCreate>

export const AccessGroupUpdate = z.strictObject({ user_ids: userIds }).meta({ id: 'AccessGroupUpdate' })

export const GroupParams = z.object({ name: id })
export const IdParams = z.object({ id })

export const PortalSessionView = z
  .object({
    id: z.uuid(),
    user_id: z.uuid(),
    username: z.string(),
    created_at: Timestamp,
    ends_at: Timestamp,
    address: z.string(),
    user_agent: z.string(),
  })
  .meta({ id: 'PortalSession' })
export type PortalSessionView = z.infer<typeof PortalSessionView>

export const SiteTokenView = z
  .object({
    id: z.uuid(),
    name: z.string(),
    site_id: z.int(),
    user_id: z.uuid(),
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'SiteToken' })
export type SiteTokenView = z.infer<typeof SiteTokenView>

export const SiteTokenCreate = z
  .strictObject({
    name: Label,
    site_id: z.int().positive(),
    user_id: z.uuid().meta({ description: 'The user as whom the program visits the site' }),
    expires_in_days: z.int().min(1).max(3650).nullable().default(365).meta({ description: 'null for never' }),
  })
  .meta({ id: 'SiteTokenCreate' })
export type SiteTokenCreate = z.infer<typeof SiteTokenCreate>

export const SiteTokenCreated = SiteTokenView.extend({
  token: z.string().meta({ description: 'Shown this once; see the guide to protected sites' }),
}).meta({ id: 'SiteTokenCreated' })

export const VisitExplain = z
  .strictObject({
    url: z.string().min(1).max(4096).meta({ description: 'Address of a page of a protected site' }),
    method: z
      .string()
      .regex(/^[A-Z]{1,20}$/, 'must be a method in capitals, such as GET')
      .default('GET'),
    user_id: z.uuid().nullable().default(null).meta({ description: 'null for a visitor who is not signed in' }),
    client_ip: z.union([z.ipv4(), z.ipv6()]).optional(),
  })
  .meta({ id: 'VisitExplain' })
export type VisitExplain = z.infer<typeof VisitExplain>

export const VisitExplanation = z
  .object({
    outcome: z.enum(['allow', 'sign_in', 'forbidden', 'closed']),
    site_id: z.int().nullable(),
    rule: z
      .int()
      .nullable()
      .meta({ description: 'Number of the rule that decided, from 1; null for the groups of the site' }),
    reason: z.string(),
  })
  .meta({ id: 'VisitExplanation' })
export type VisitExplanation = z.infer<typeof VisitExplanation>
