import type { Kysely } from 'kysely'
import type { CertificateTables, GradeRow } from '../tables.ts'

export async function insertGrade(db: Kysely<CertificateTables>, row: GradeRow): Promise<void> {
  await db.insertInto('certificate_grades').values(row).execute()
}

/** Lists the grades since a time, by host, oldest first. */
export function gradesSince(
  db: Kysely<CertificateTables>,
  { since, source }: { since: number; source: GradeRow['source'] | undefined },
): Promise<Pick<GradeRow, 'host' | 'source' | 'grade' | 'checked_at'>[]> {
  return db
    .selectFrom('certificate_grades')
    .select(['host', 'source', 'grade', 'checked_at'])
    .where('checked_at', '>=', since)
    .$if(source !== undefined, (query) => query.where('source', '=', source ?? 'local'))
    .orderBy('host')
    .orderBy('source')
    .orderBy('checked_at')
    .execute()
}

/** Finds the newest grade of a host from one source. */
export function latestGradeOf(
  db: Kysely<CertificateTables>,
  { host, source }: Pick<GradeRow, 'host' | 'source'>,
): Promise<GradeRow | undefined> {
  return db
    .selectFrom('certificate_grades')
    .selectAll()
    .where('host', '=', host)
    .where('source', '=', source)
    .orderBy('checked_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Finds the newest grade of every host and source. */
export async function latestGrades(db: Kysely<CertificateTables>): Promise<GradeRow[]> {
  const rows = await db
    .selectFrom('certificate_grades as g')
    .innerJoin(
      (query) =>
        query
          .selectFrom('certificate_grades')
          .select((eb) => ['host', 'source', eb.fn.max('checked_at').as('newest')])
          .groupBy(['host', 'source'])
          .as('last'),
      (join) =>
        join
          .onRef('last.host', '=', 'g.host')
          .onRef('last.source', '=', 'g.source')
          .onRef('last.newest', '=', 'g.checked_at'),
    )
    .selectAll('g')
    .orderBy('g.id')
    .execute()
  // Two grades of the same millisecond count once.
  return [...new Map(rows.map((row) => [`${row.source} ${row.host}`, row])).values()]
}

/** Deletes the grades from before a time. */
export async function deleteGradesBefore(db: Kysely<CertificateTables>, before: number): Promise<void> {
  await db.deleteFrom('certificate_grades').where('checked_at', '<', before).execute()
}
