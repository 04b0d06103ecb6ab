import type { Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { analyserVersion } from '../analysis/analyse-audio.ts'
import type { MediaBus } from '../events.ts'
import { jobEvent } from '../jobs/job-events.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { jobOfRow } from '../jobs/job-view.ts'
import type { Job } from '../jobs/schema.ts'
import { invalid } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { AnalysisState } from './schema.ts'
import { countAnalyses, requestAnalysis, requestOutdated } from './store.ts'

export interface AnalysisRequestDependencies {
  readonly db: Kysely<Tables>
  readonly bus: MediaBus
  readonly timers: Timers
  readonly jobs: Pick<Jobs, 'row'>
  readonly reanalysis: { wake(): void }
}

/** Requests to analyse finished sounds again. They throw problems of the API. */
export type AnalysisRequests = ReturnType<typeof createAnalysisRequests>

/** Creates the requests; the workers of all processes carry them out. */
export function createAnalysisRequests(dependencies: AnalysisRequestDependencies) {
  const { db, bus, timers, jobs, reanalysis } = dependencies
  return {
    state: (): Promise<AnalysisState> => countAnalyses(db, analyserVersion),
    async one(id: string): Promise<Job> {
      const before = await jobs.row(id)
      const now = timers.now()
      const row = await requestAnalysis(db, id, now)
      if (row === undefined) throw invalid('Only a finished sound whose file is still there can be analysed')
      bus.publish(jobEvent(before, row, now))
      reanalysis.wake()
      return jobOfRow(row)
    },
    /** Requests it for every sound that an older version analysed. */
    async outdated(): Promise<AnalysisState> {
      const added = await requestOutdated(db, analyserVersion, timers.now())
      if (added > 0) reanalysis.wake()
      return countAnalyses(db, analyserVersion)
    },
  }
}
