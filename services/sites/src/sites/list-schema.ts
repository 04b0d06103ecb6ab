import { z } from 'zod'
import { SiteReach } from './reach-schema.ts'
import { Site, SiteKind } from './schema.ts'

const flag = z.enum(['true', 'false']).transform((text) => text === 'true')

/** Filter, order and page of the list of sites. The header `X-Total-Count` has the total. */
export const SiteListQuery = z.strictObject({
  search: z.string().max(200).optional().meta({ description: 'Part of a name or domain' }),
  kind: SiteKind.optional(),
  enabled: flag.optional(),
  reach: SiteReach.optional(),
  failed: flag.optional().meta({ description: 'Only those a node has refused' }),
  sort: z.enum(['name', 'updated_at', 'created_at']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
})
export type SiteListQuery = z.infer<typeof SiteListQuery>

export const SiteParams = z.object({ id: z.coerce.number().int().min(1).max(2_147_483_647) })

/** `wait=false` answers before Caddy has the change; a refusal is then shown on the site. */
export const EditQuery = z.strictObject({ wait: flag.default(true) })

const members = {
  sync_status: z
    .enum(['synced', 'no_change', 'pending', 'unknown'])
    .meta({ description: 'unknown: the connection to Caddy broke off, and what runs is being found out' }),
  synced: z.boolean(),
  config_sha256: z.string().nullable(),
  sync_error: z.string().nullable(),
}

/** Result of an edit. */
export const SiteEnvelope = z
  .object({ status: z.enum(['created', 'updated', 'no_change']), site: Site, ...members })
  .meta({ id: 'SiteEnvelope' })
export type SiteEnvelope = z.infer<typeof SiteEnvelope>

export const SiteDeleted = z
  .object({ status: z.literal('deleted'), id: z.int(), ...members })
  .meta({ id: 'SiteDeleted' })
