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
