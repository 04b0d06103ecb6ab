import { z } from 'zod'

const moment = z.iso.datetime()

/** What a revision did to one site. */
export const RevisionSite = z
  .object({
    site_id: z.int(),
    site_name: z.string(),
    change: z.enum(['added', 'changed', 'removed']),
    before_revision: z.int().nullable(),
    after_revision: z.int().nullable(),
  })
  .meta({ id: 'RevisionSite' })
export type RevisionSite = z.infer<typeof RevisionSite>

/** What one node said to a change. */
export const NodeWords = z
  .object({
    name: z.string(),
    outcome: z.enum(['applied', 'rejected', 'rolled-back', 'drifted', 'unreachable', 'unknown', 'skipped']),
    text: z.string().optional(),
    refused: z
      .array(z.tuple([z.int(), z.string()]))
      .optional()
      .meta({ description: 'Sites that were refused, each with Caddy’s words' }),
  })
  .meta({ id: 'NodeWords' })

/** One change of the whole configuration. */
export const Revision = z
  .object({
    id: z.int(),
    created_at: moment,
    author: z.string(),
    cause: z.string().meta({ description: 'What led to it, as `site.updated`; several with blanks between them' }),
    outcome: z.enum(['applied', 'partly', 'failed']),
    is_current: z.boolean(),
    config_sha256: z.string(),
    site_count: z.int(),
    duration_ms: z.int(),
    nodes: z.array(NodeWords),
    sites: z.array(RevisionSite).meta({ description: 'The first 50' }),
    changed_sites: z.int(),
  })
  .meta({ id: 'Revision' })
export type Revision = z.infer<typeof Revision>

export const RevisionListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
})
export const RevisionParams = z.object({ id: z.coerce.number().int().min(1) })

/** How one member of a site differs. Secrets are never shown. */
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

/** What lies between two states, by sites and in Caddy's own terms. */
export const StateDiff = z
  .object({
    sites: z.array(SiteDiff),
    config: z.array(ConfigChange).meta({ description: 'The first 200' }),
    config_changes: z.int(),
  })
  .meta({ id: 'StateDiff' })
export type StateDiff = z.infer<typeof StateDiff>

/** What an edit would do. */
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

/** What somebody else changed on a node. */
export const DriftView = z
  .object({
    node_id: z.int(),
    node_name: z.string(),
    since: moment,
    running_sha256: z.string(),
    changes: z.array(ConfigChange),
    change_count: z.int(),
  })
  .meta({ id: 'Drift' })
export type DriftView = z.infer<typeof DriftView>

/** What became of an asked-for change of everything. */
export const SyncResult = z
  .object({
    status: z
      .enum(['synced', 'no_change', 'partly', 'pending', 'unknown'])
      .meta({ description: '`partly`: a site was refused, or a server does not run what is wanted; see `detail`' }),
    config_sha256: z.string().nullable(),
    synced: z.boolean().meta({ description: 'Whether every server runs all that is wanted' }),
    detail: z.string(),
    revision_id: z.int().nullable(),
  })
  .meta({ id: 'SyncResult' })
export type SyncResult = z.infer<typeof SyncResult>

export const SyncRequest = z
  .strictObject({
    force: z.boolean().default(false).meta({ description: 'Overwrites what somebody else has changed' }),
  })
  .meta({ id: 'SyncRequest' })

export const RevisionDiffQuery = z.strictObject({
  against: z
    .enum(['previous', 'current'])
    .default('previous')
    .meta({ description: 'previous: what it changed; current: what returning to it would change' }),
})

export const AdoptRequest = z
  .strictObject({
    node_id: z.int().min(1).optional().meta({ description: 'Which server; the first that drifted when left out' }),
  })
  .meta({ id: 'AdoptRequest' })

/** What adopting came to. */
export const AdoptResult = z
  .object({
    changed: z.int(),
    added: z.int(),
    switched_off: z.int().meta({ description: 'Sites that somebody took away; they are kept, switched off' }),
    lost: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .meta({ description: 'What no site can have, and is not served any more' }),
    synced: z.boolean(),
  })
  .meta({ id: 'AdoptResult' })
export type AdoptResult = z.infer<typeof AdoptResult>
