import { z } from 'zod'
import { Tls } from './guard-schema.ts'

export const ExplainQuery = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(4096)
    .meta({ description: 'As a visitor would write it' }),
  client_ip: z.union([z.ipv4(), z.ipv6()]).optional(),
})

/** Explains how a request is answered. */
export const Explanation = z
  .object({
    server: z.enum(['http', 'https']),
    site: z.object({ id: z.int(), site_name: z.string(), domain: z.string() }).nullable(),
    path: z.object({ match: z.enum(['prefix', 'exact']), path: z.string() }).nullable(),
    tls: Tls.nullable(),
    steps: z.array(z.string()).meta({ description: 'What stands before the answer, in the order it is met' }),
    answer: z.record(z.string(), z.unknown()).meta({ description: 'kind, and what belongs to it' }),
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.infer<typeof Explanation>

/** Explains how a request is answered by the sites as they are wanted now. */
export type ExplainSite = (request: z.infer<typeof ExplainQuery>) => Promise<Explanation>

/** Change of one member of a site. Secrets are never shown. */
export const FieldChange = z
  .object({ field: z.string(), before: z.unknown().optional(), after: z.unknown().optional() })
  .meta({ id: 'FieldChange' })

export const SiteDiff = z
  .object({
    site_id: z.int(),
    site_name: z.string(),
    change: z.enum(['added', 'changed', 'removed']),
    fields: z.array(FieldChange),
  })
  .meta({ id: 'SiteDiff' })
export type SiteDiff = z.infer<typeof SiteDiff>

/** A difference of two configurations, by its place. */
export const ConfigChange = z
  .object({ path: z.string(), before: z.unknown().optional(), after: z.unknown().optional() })
  .meta({ id: 'ConfigChange' })

/** Difference of two states, by site and in Caddy's configuration. */
export const StateDiff = z
  .object({
    sites: z.array(SiteDiff),
    config: z.array(ConfigChange).meta({ description: 'The first 200' }),
    config_changes: z.int(),
  })
  .meta({ id: 'StateDiff' })
export type StateDiff = z.infer<typeof StateDiff>

/** Preview of an edit. */
export const Preview = StateDiff.extend({
  is_good: z
    .boolean()
    .nullable()
    .meta({ description: 'What Caddy says to it in a dry run; null when it could not be asked' }),
  caddy_error: z.string().nullable(),
  notes: z.array(z.string()).meta({ description: 'What a node cannot do and leaves out; overlaps of wildcards' }),
  issues: z.array(z.object({ field: z.string(), message: z.string() })),
}).meta({ id: 'Preview' })
export type Preview = z.infer<typeof Preview>
