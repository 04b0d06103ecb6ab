import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Clock } from '@hearth/runtime'
import type { Finding } from '../grader/findings.ts'
import type { LocalGrade } from '../grader/grader.ts'
import type { CertificateTables, GradeRow } from '../tables.ts'
import * as store from './store.ts'
import { historyRanges, historyStart, weeklyPoints, type HistoryRange, type WeekPoint } from './weekly-points.ts'

/** A grade as stored. Timestamps are milliseconds since the epoch. */
export interface RecordedGrade extends Pick<GradeRow, 'host' | 'source' | 'grade'> {
  readonly siteId: number
  readonly gradeTrustIgnored: GradeRow['grade_trust_ignored']
  readonly parts: LocalGrade['parts'] | null
  readonly findings: readonly Finding[]
  readonly notAfter: number | null
  readonly checkedAt: number
}

/** Weekly grades of one host from one source. */
export interface GradeSeries {
  readonly host: string
  readonly source: store.GradeSource
  readonly points: readonly WeekPoint[]
}

/** History of grades. */
export type GradeHistory = ReturnType<typeof createGradeHistory>

export interface GradeHistoryDependencies {
  readonly db: Kysely<CertificateTables>
  readonly clock: Clock
  /** Retention of grades, days; 0 keeps them for ever. */
  readonly retentionDays: () => number
}

/** Creates the history. It deletes nothing until `tidy` is called. */
export function createGradeHistory({ db, clock, retentionDays }: GradeHistoryDependencies) {
  return {
    record: (grade: RecordedGrade) => store.insertGrade(db, rowOf(grade)),
    /** Returns the newest grade of every host and source. */
    async latest(): Promise<RecordedGrade[]> {
      return (await store.latestGrades(db)).map(gradeOf)
    },
    async series(range: HistoryRange, source?: store.GradeSource): Promise<{ days: number; series: GradeSeries[] }> {
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

/** Returns the record that is stored of a local grade. */
export const recordOf = (grade: LocalGrade, siteId: number): RecordedGrade => ({
  siteId,
  host: grade.host,
  source: 'local',
  grade: grade.grade,
  gradeTrustIgnored: grade.gradeTrustIgnored,
  parts: grade.parts,
  findings: grade.findings,
  notAfter: grade.notAfter,
  checkedAt: grade.checkedAt,
})

const rowOf = (grade: RecordedGrade): GradeRow => ({
  id: randomUUID(),
  site_id: grade.siteId,
  host: grade.host,
  source: grade.source,
  grade: grade.grade,
  grade_trust_ignored: grade.gradeTrustIgnored,
  parts: grade.parts === null ? null : JSON.stringify(grade.parts),
  findings: JSON.stringify(grade.findings),
  not_after: grade.notAfter,
  checked_at: grade.checkedAt,
})

const gradeOf = (row: GradeRow): RecordedGrade => ({
  siteId: row.site_id,
  host: row.host,
  source: row.source,
  grade: row.grade,
  gradeTrustIgnored: row.grade_trust_ignored,
  parts: row.parts === null ? null : (JSON.parse(row.parts) as LocalGrade['parts']),
  findings: JSON.parse(row.findings) as Finding[],
  notAfter: row.not_after,
  checkedAt: row.checked_at,
})
