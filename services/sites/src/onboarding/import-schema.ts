import { FileForm } from '@hearth/http'
import { z } from 'zod'

/** What becomes of something an import met and could not take over as it is. */
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

/** What became of one site of an import. */
export const ImportedSiteStatus = z.enum(['new', 'created', 'failed', 'conflicting', 'invalid']).meta({
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

/** What every import is told. */
const choices = {
  dry_run: z.boolean().default(false).meta({ description: 'Says what would happen, and changes nothing' }),
}
const raw = z.boolean().default(false).meta({
  description: 'Makes sites of kind raw of what cannot be taken over whole',
})

export const CaddyfileImport = z
  .strictObject({ text: z.string().min(1).max(524_288), ...choices, raw })
  .meta({ id: 'CaddyfileImport' })

/** Either a configuration, or the node that runs it. */
export const ConfigImport = z
  .strictObject({
    config: z.unknown().optional().meta({ description: 'A configuration of Caddy as JSON' }),
    from_node: z.int().positive().optional().meta({ description: 'Number of the node whose configuration is read' }),
    ...choices,
  })
  .refine(({ config, from_node: node }) => (config === undefined) !== (node === undefined), {
    path: ['config'],
    message: 'or from_node must be given, and not both',
  })
  .meta({ id: 'ConfigImport' })

/** A form, in which everything but the file is text. */
export const NpmImport = FileForm.extend({
  dry_run: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: choices.dry_run.meta()?.description ?? '' }),
}).meta({ id: 'NpmImport' })
