import { z } from 'zod'
import { idText, pageQuery, plainText, Timestamp, wholeNumber } from '../../envelope.ts'

const domain = plainText(255)
  .min(1)
  .meta({
    description: 'A domain name: it and everything below it; `*.example.com` is only what is below',
    examples: ['ads.example.com', '*.tracker.example'],
  })

export const RuleAction = z.enum(['block', 'allow'])
export type RuleAction = z.infer<typeof RuleAction>

/** A rule an operator made. Rules stand before lists; one for a client before one for everyone. */
export const DnsRule = z
  .object({
    id: z.uuid(),
    action: RuleAction,
    domain: z.string().meta({ description: 'Lower case, international names in punycode' }),
    client: z.string().nullable().meta({ description: 'The name of the peer it holds for; null for every client' }),
    client_id: z.uuid().nullable(),
    enabled: z.boolean(),
    created_at: Timestamp,
    created_by: z.string().nullable(),
    hits: wholeNumber.meta({ description: 'Queries it decided, as far as the log goes back' }),
    last_hit_at: Timestamp.nullable(),
  })
  .meta({ id: 'DnsRule' })
export type DnsRule = z.infer<typeof DnsRule>

const client = plainText(64)
  .min(1)
  .nullable()
  .meta({ description: 'A peer: its name, id or address; null for every client' })

/** A rule to create. */
export const DnsRuleCreate = z
  .strictObject({ action: RuleAction, domain, client: client.optional(), enabled: z.boolean().optional() })
  .meta({ id: 'DnsRuleCreate' })
export type DnsRuleCreate = z.infer<typeof DnsRuleCreate>

export const DnsRuleUpdate = z
  .strictObject({
    action: RuleAction.optional(),
    domain: domain.optional(),
    client: client.optional(),
    enabled: z.boolean().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one member')
  .meta({ id: 'DnsRuleUpdate' })
export type DnsRuleUpdate = z.infer<typeof DnsRuleUpdate>

export const DnsRuleListQuery = z.strictObject({
  ...pageQuery(50),
  search: plainText(255).optional().meta({ description: 'Part of a domain' }),
  client: plainText(64).optional().meta({ description: 'Rules of this peer alone: its name, id or address' }),
  action: RuleAction.optional(),
})
export type DnsRuleListQuery = z.infer<typeof DnsRuleListQuery>

export const DnsRuleParams = z.object({ id: idText })

export const DnsRuleDeleted = z.object({ id: z.uuid(), domain: z.string() }).meta({ id: 'DnsRuleDeleted' })

/** A rule to preview, without storing it. */
export const DnsRulePreviewBody = z
  .strictObject({ action: RuleAction, domain, client: client.optional() })
  .meta({ id: 'DnsRulePreviewBody' })
export type DnsRulePreviewBody = z.infer<typeof DnsRulePreviewBody>

/** Queries of the last 24 hours that a rule would have changed, as far as the log goes back. */
export const DnsRulePreview = z
  .object({
    changed: wholeNumber.meta({ description: 'Queries that would have been answered the other way' }),
    matching: wholeNumber.meta({ description: 'Queries for names the rule is about' }),
    clients: z.array(z.object({ client: z.string().nullable(), changed: wholeNumber })),
  })
  .meta({ id: 'DnsRulePreview' })
export type DnsRulePreview = z.infer<typeof DnsRulePreview>
