import { z } from 'zod'
import { ConfigChange } from '../sites/preview-schema.ts'

const moment = z.iso.datetime()

/** Change of one site by a revision. */
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

/** Outcome of a change on one node. */
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

/** A change of a node's configuration by somebody else. */
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

/** Result of applying everything. */
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

/** State of the first Caddy server and of the sites it serves. */
export const CaddyStatus = z
  .object({
    managed: z.boolean(),
    onboarding_required: z.boolean(),
    admin_api_reachable: z.boolean(),
    admin_url: z.string().nullable(),
    last_synced_config_sha256: z.string().nullable(),
    drifted: z.boolean(),
    pending_sites: z.int(),
    failed_sites: z.int(),
    error: z.string().nullable(),
  })
  .meta({ id: 'CaddyStatus' })
export type CaddyStatus = z.infer<typeof CaddyStatus>
