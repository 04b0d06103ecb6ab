import { parseJson, type Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Jobs } from '../jobs/jobs.ts'
import { findFinished } from '../jobs/finished-file.ts'
import { conflict, notFound } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { WorkbenchSessionRow } from './tables.ts'
import type { StretchFilter } from '../tools/ffmpeg.ts'
import { emptyContent, WorkbenchContent, type Workbench, type WorkbenchChange } from './schema.ts'
import { findSession, writeSession } from './store.ts'

export interface WorkbenchDependencies {
  readonly db: Kysely<Tables>
  readonly timers: Timers
  readonly jobs: Pick<Jobs, 'row'>
  readonly ffmpeg: { readonly stretchFilter: () => Promise<StretchFilter> }
}

/** Sessions of the workbench: parts, cue points and settings of each job. They throw problems of the API. */
export type Workbenches = ReturnType<typeof createWorkbenches>

/** Creates the sessions. */
export function createWorkbenches({ db, timers, jobs, ffmpeg }: WorkbenchDependencies) {
  const view = async (row: WorkbenchSessionRow | undefined): Promise<Workbench> => ({
    revision: row?.revision ?? 0,
    updated_at: row === undefined ? null : new Date(row.updated_at).toISOString(),
    stretch: await ffmpeg.stretchFilter(),
    ...readContent(row),
  })
  return {
    async read(jobId: string): Promise<Workbench> {
      const { id } = findFinished(await jobs.row(jobId))
      return view(await findSession(db, id))
    },
    /** Writes a session as a whole, if nobody else wrote it since its revision was read. */
    async write(jobId: string, { revision, ...content }: WorkbenchChange): Promise<Workbench> {
      const { id } = findFinished(await jobs.row(jobId))
      const row = { job_id: id, revision: revision + 1, content: JSON.stringify(content), updated_at: timers.now() }
      const written = await writeSession(db, row).catch(async (error: unknown) => {
        // The job may have been deleted in this moment: then its row is refused.
        await jobs.row(jobId)
        throw error
      })
      if (written !== undefined) return view(written)
      const present = await findSession(db, id)
      if (present === undefined && revision === 0) throw notFound('job')
      throw conflict(
        `This workbench was changed elsewhere: it is at revision ${present?.revision ?? 0}, and yours is from ${revision}. Load it again`,
        'revision_changed',
      )
    },
  }
}

/** Reads the content of a row; one that nobody can read any more counts as empty. */
function readContent(row: WorkbenchSessionRow | undefined): WorkbenchContent {
  if (row === undefined) return emptyContent
  return WorkbenchContent.safeParse(parseJson(row.content)).data ?? emptyContent
}
