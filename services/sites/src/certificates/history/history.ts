import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Clock } from '@hearth/runtime'
import type { CertificateTables, GradeRow } from '../tables.ts'
import * as store from './store.ts'
import {
  gradeScale,
  historyRanges,
  historyStart,
  weeklyPoints,
  type HistoryRange,
  type WeekPoint,
} from './weekly-points.ts'

/** Weekly grades of one host from one source. */
export interface GradeSeries extends Pick<GradeRow, 'host' | 'source'> {
  readonly points: WeekPoint[]
}

/** A grade that is worse than the one before. */
export interface FallenGrade extends Pick<GradeRow, 'host' | 'source' | 'grade'> {
  readonly before: GradeRow['grade']
}

/** History of grades. */
export type GradeHistory = ReturnType<typeof createGradeHistory>

export interface GradeHistoryDependencies {
  readonly db: Kysely<CertificateTables>
  readonly clock: Clock
  /** Retention of grades, days; 0 keeps them for ever. */
  readonly retentionDays: () => number
  /** Called when a host got a worse grade than the time before, from the same source. */
  readonly onFallen?: (grade: FallenGrade) => void
}

/** Creates the history. It deletes nothing until `tidy` is called. */
export function createGradeHistory({ db, clock, retentionDays, onFallen }: GradeHistoryDependencies) {
  return {
    async record(grade: Omit<GradeRow, 'id'>): Promise<void> {
      const last = await store.latestGradeOf(db, grade)
      await store.insertGrade(db, { id: randomUUID(), ...grade })
      if (last !== undefined && gradeScale[grade.grade] < gradeScale[last.grade])
        onFallen?.({ host: grade.host, source: grade.source, grade: grade.grade, before: last.grade })
    },
    /** Returns the newest grade of every host and source. */
    latest: () => store.latestGrades(db),
    async series(range: HistoryRange, source?: GradeRow['source']): Promise<{ days: number; series: GradeSeries[] }> {
      const now = clock.now()
      const rows = await store.gradesSince(db, { since: historyStart(range, now), source })
      const byHost = Map.groupBy(rows, (row) => `${row.source} ${row.host}`)
      const series = [...byHost.values()].flatMap((samples) => {
        const [first] = samples
        if (first === undefined) return []
        const grades = samples.map(({ grade, checked_at }) => ({ grade, checkedAt: checked_at }))
        const points = weeklyPoints(grades, range, now)
        return points.length === 0 ? [] : [{ host: first.host, source: first.source, points }]
      })
      return { days: historyRanges[range], series }
    },
    /** Deletes the grades that are older than the retention. */
    async tidy(): Promise<void> {
      const days = retentionDays()
      if (days > 0) await store.deleteGradesBefore(db, clock.now() - days * 86_400_000)
    },
  }
}
