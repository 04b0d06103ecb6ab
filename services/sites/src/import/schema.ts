import { z } from 'zod'

/** State of taking over a Caddy. */
export const Onboarding = z
  .object({
    complete: z.boolean(),
    step: z.enum(['node', 'decision', 'apply', 'done']).meta({
      description:
        'node: no Caddy answers; decision: what runs is to be imported or replaced; apply: nothing was applied yet',
    }),
    admin_url: z.string().nullable(),
    is_own: z.boolean().meta({ description: 'Whether the service runs the Caddy itself' }),
    reachable: z.boolean(),
    error: z.string().nullable(),
    capabilities: z.record(z.string(), z.boolean()).nullable(),
    is_blank: z.boolean().nullable().meta({ description: 'Whether the Caddy serves nothing yet' }),
    running_sha256: z.string().nullable(),
    hosts: z.array(z.string()).meta({ description: 'What it serves now; the first 200' }),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Onboarding' })
export type Onboarding = z.infer<typeof Onboarding>

export const OnboardRequest = z
  .strictObject({
    admin_url: z.string().max(300).optional().meta({ description: 'Another admin endpoint than that of the settings' }),
    mode: z
      .enum(['import', 'replace'])
      .optional()
      .meta({ description: 'What becomes of what runs: import turns it into sites; needed when it serves something' }),
    acme_email: z.email().max(254).optional(),
    confirm_exclusive: z.boolean().optional().meta({
      description: 'From now on this service alone changes the configuration; needed when it serves something',
    }),
  })
  .meta({ id: 'OnboardRequest' })
export type OnboardRequest = z.infer<typeof OnboardRequest>

export const OnboardResult = z
  .object({
    status: z.enum(['onboarded', 'already_managed']),
    snapshot_sha256: z.string().nullable().meta({ description: 'Of what ran before' }),
    synced: z.boolean(),
    detail: z.string(),
    imported: z.int(),
    left_out: z.array(z.object({ path: z.string(), message: z.string() })),
  })
  .meta({ id: 'OnboardResult' })
export type OnboardResult = z.infer<typeof OnboardResult>

export const AdoptRequest = z
  .strictObject({
    node_id: z.int().min(1).optional().meta({ description: 'Which server; the first that drifted when left out' }),
  })
  .meta({ id: 'AdoptRequest' })

/** Result of adopting drift. */
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

/** Outcome for a part that an import could not take over as it is. */
export const ImportOutcome = z.enum(['changed', 'lost', 'left_out', 'raw']).meta({
  description:
    'changed: taken over, but behaves as the text says; lost: the rest is taken over without it; left_out: not taken over; raw: becomes a site of kind raw',
})
export type ImportOutcome = z.infer<typeof ImportOutcome>

/** One thing that is not taken over as it is. What is not in the report is taken over, or has no effect. */
export const ReportItem = z
  .object({
    path: z.string().meta({ description: 'Where it stands: a JSON pointer, `line 12`, or a table and its row' }),
    what: z.string().meta({ description: 'What it is and what that means, for a person' }),
    outcome: ImportOutcome,
    site: z.string().nullable().meta({ description: 'First domain of the site it belongs to' }),
  })
  .meta({ id: 'ImportReportItem' })
export type ReportItem = z.infer<typeof ReportItem>

/** Outcome for one site of an import. */
const ImportedSiteStatus = z.enum(['new', 'created', 'failed', 'conflicting', 'invalid']).meta({
  description:
    'new: can be created (dry run only); failed: could not be created; conflicting: another site has one of its domains; invalid: a site cannot be like this',
})

/** One site an import found. */
export const ImportedSiteView = z
  .object({
    path: z.string().meta({ description: 'Where it stands in what was imported' }),
    site_name: z.string(),
    renamed_from: z.string().nullable().meta({ description: 'The name it would have, which another site has' }),
    domains: z.array(z.string()),
    kind: z.string(),
    enabled: z.boolean(),
    status: ImportedSiteStatus,
    site_id: z.int().nullable(),
    problems: z.array(z.object({ field: z.string(), message: z.string() })),
  })
  .meta({ id: 'ImportedSite' })
export type ImportedSiteView = z.infer<typeof ImportedSiteView>

/** The answer to an import. */
export const ImportAnswer = z
  .object({
    dry_run: z.boolean(),
    counts: z.object({
      found: z.int(),
      created: z.int(),
      new: z.int(),
      failed: z.int(),
      conflicting: z.int(),
      invalid: z.int(),
    }),
    sites: z.array(ImportedSiteView),
    report: z.array(ReportItem),
    acme_email: z.string().nullable().meta({ description: 'Address the authority was told; a setting here' }),
  })
  .meta({ id: 'ImportAnswer' })
export type ImportAnswer = z.infer<typeof ImportAnswer>

/** Members of every import. */
/** A dry run of an import. */
export const dryRun = z.boolean().default(false).meta({ description: 'Says what would happen, and changes nothing' })
const raw = z.boolean().default(false).meta({
  description: 'Makes sites of kind raw of what cannot be taken over whole',
})

export const CaddyfileImport = z
  .strictObject({ text: z.string().min(1).max(524_288), dry_run: dryRun, raw })
  .meta({ id: 'CaddyfileImport' })

/** A dynamic configuration of Traefik. */
export const TraefikImport = z
  .strictObject({
    text: z.string().min(1).max(524_288).meta({ description: 'YAML or TOML' }),
    dry_run: dryRun,
  })
  .meta({ id: 'TraefikImport' })

/** Server blocks of nginx. */
export const NginxImport = z
  .strictObject({ text: z.string().min(1).max(524_288), dry_run: dryRun })
  .meta({ id: 'NginxImport' })

/** Rules of Zoraxy for hosts. */
export const ZoraxyImport = z
  .strictObject({
    text: z.string().min(1).max(524_288).meta({ description: 'Its files of conf/proxy, and of conf/access, in a row' }),
    dry_run: dryRun,
  })
  .meta({ id: 'ZoraxyImport' })

/** Either a configuration, or the node that runs it. */
export const ConfigImport = z
  .strictObject({
    config: z.unknown().optional().meta({ description: 'A configuration of Caddy as JSON' }),
    from_node: z.int().positive().optional().meta({ description: 'Number of the node whose configuration is read' }),
    dry_run: dryRun,
  })
  .refine(({ config, from_node: node }) => (config === undefined) !== (node === undefined), {
    path: ['config'],
    message: 'or from_node must be given, and not both',
  })
  .meta({ id: 'ConfigImport' })
