import { parseJson } from '@hearth/runtime'
import { z } from 'zod'
import type { MediaEvent } from '../events.ts'
import type { ExportRow } from './tables.ts'
import type { StretchFilter } from '../tools/ffmpeg.ts'
import { ExportPlan, StoredFile, type Export } from './schema.ts'

/** Files of an export that is done, as they are stored. */
export const StoredResult = z.object({
  stretch: z.enum(['rubberband', 'atempo']).nullable(),
  files: z.array(StoredFile),
})
export type StoredResult = { stretch: StretchFilter | null; files: StoredFile[] }

/** Reads what was asked for. Throws for a row that was not written by this service. */
export const planOf = ({ request }: Pick<ExportRow, 'request'>): ExportPlan => ExportPlan.parse(parseJson(request))

/** Reads what was made; nothing before the end. */
export function resultOf({ files }: Pick<ExportRow, 'files'>): StoredResult {
  const nothing = { stretch: null, files: [] }
  return files === null ? nothing : (StoredResult.safeParse(parseJson(files)).data ?? nothing)
}

/** An export as the API shows it. */
export function exportOf(row: ExportRow): Export {
  const { parts, ...settings } = planOf(row)
  const { stretch, files } = resultOf(row)
  return {
    id: row.id,
    status: shownStatus(row),
    progress: row.progress,
    message: row.message,
    created_at: new Date(row.created_at).toISOString(),
    finished_at: row.finished_at === null ? null : new Date(row.finished_at).toISOString(),
    part_count: parts.length,
    ...settings,
    stretch,
    files: files.map(shownFile),
  }
}

function shownFile({ artifact: _artifact, ...file }: StoredFile, index: number): Export['files'][number] {
  return { ...file, number: index + 1, duration_seconds: file.samples / file.sample_rate }
}

const shownStatus = ({ status }: ExportRow): Export['status'] => (status === 'removed' ? 'cancelled' : status)

/** The event of an export in its present state. */
export const exportEvent = (row: ExportRow): MediaEvent => ({
  type: 'export_changed',
  job_id: row.job_id,
  export_id: row.id,
  status: shownStatus(row),
  progress: row.progress,
  message: row.message,
})
