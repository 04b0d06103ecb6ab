import type { Kysely } from 'kysely'
import type { ResultBatch } from './pending-results.ts'
import type { DayRow, IncidentRow, PointRow, SubjectRow, UptimeTables } from './tables.ts'

type Db = Kysely<UptimeTables>

/** Rows of one statement. */
const together = 100

/** Writes results in one transaction: all of them, or nothing. */
export async function writeResults(db: Db, batch: ResultBatch): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const [subject, day] of batch.forgotten) {
      await trx.deleteFrom('uptime_days').where('subject', '=', subject).where('day', '>', day).execute()
      const after = (day + 1) * 86_400_000
      await trx.deleteFrom('uptime_points').where('subject', '=', subject).where('starts_at', '>=', after).execute()
    }
    for (const rows of groups(batch.days)) await addDays(trx, rows)
    for (const rows of groups(batch.points)) await addPoints(trx, rows)
    for (const rows of groups(batch.subjects)) await putSubjects(trx, rows)
    for (const row of batch.incidents)
      await trx
        .insertInto('uptime_incidents')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
  })
}

function* groups<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += together) yield rows.slice(start, start + together)
}

async function addDays(trx: Db, rows: readonly DayRow[]): Promise<void> {
  await trx
    .insertInto('uptime_days')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['subject', 'day']).doUpdateSet((eb) => ({
        up_ms: eb('uptime_days.up_ms', '+', eb.ref('excluded.up_ms')),
        down_ms: eb('uptime_days.down_ms', '+', eb.ref('excluded.down_ms')),
        maintenance_ms: eb('uptime_days.maintenance_ms', '+', eb.ref('excluded.maintenance_ms')),
        checks: eb('uptime_days.checks', '+', eb.ref('excluded.checks')),
        failed: eb('uptime_days.failed', '+', eb.ref('excluded.failed')),
        latency_total: eb('uptime_days.latency_total', '+', eb.ref('excluded.latency_total')),
        latency_count: eb('uptime_days.latency_count', '+', eb.ref('excluded.latency_count')),
        latency_max: eb
          .case()
          .when('excluded.latency_max', '>', eb.ref('uptime_days.latency_max'))
          .then(eb.ref('excluded.latency_max'))
          .else(eb.ref('uptime_days.latency_max'))
          .end(),
      })),
    )
    .execute()
}

async function addPoints(trx: Db, rows: readonly PointRow[]): Promise<void> {
  await trx
    .insertInto('uptime_points')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['subject', 'starts_at']).doUpdateSet((eb) => ({
        checks: eb('uptime_points.checks', '+', eb.ref('excluded.checks')),
        failed: eb('uptime_points.failed', '+', eb.ref('excluded.failed')),
        latency_total: eb('uptime_points.latency_total', '+', eb.ref('excluded.latency_total')),
        latency_count: eb('uptime_points.latency_count', '+', eb.ref('excluded.latency_count')),
        latency_max: eb
          .case()
          .when('excluded.latency_max', '>', eb.ref('uptime_points.latency_max'))
          .then(eb.ref('excluded.latency_max'))
          .else(eb.ref('uptime_points.latency_max'))
          .end(),
      })),
    )
    .execute()
}

async function putSubjects(trx: Db, rows: readonly SubjectRow[]): Promise<void> {
  await trx
    .insertInto('uptime_subjects')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet((eb) => ({
        state: eb.ref('excluded.state'),
        since: eb.ref('excluded.since'),
        credited_until: eb.ref('excluded.credited_until'),
        checked_at: eb.ref('excluded.checked_at'),
        latency_ms: eb.ref('excluded.latency_ms'),
        failure: eb.ref('excluded.failure'),
      })),
    )
    .execute()
}

/** Returns every subject. */
export function allSubjects(db: Db): Promise<SubjectRow[]> {
  return db.selectFrom('uptime_subjects').selectAll().execute()
}

/** Returns the incidents that go on. */
export function openIncidents(db: Db): Promise<IncidentRow[]> {
  return db.selectFrom('uptime_incidents').selectAll().where('ended_at', 'is', null).execute()
}

/** Returns the days of these subjects from a day on, oldest first. */
export async function daysOf(db: Db, subjects: readonly string[], since: number): Promise<DayRow[]> {
  const rows: DayRow[] = []
  for (const some of groups(subjects))
    rows.push(
      ...(await db
        .selectFrom('uptime_days')
        .selectAll()
        .where('subject', 'in', some)
        .where('day', '>=', since)
        .orderBy('day')
        .execute()),
    )
  return rows
}

/** Returns the points of a subject from a time on, oldest first. */
export function pointsOf(db: Db, subject: string, since: number): Promise<PointRow[]> {
  return db
    .selectFrom('uptime_points')
    .selectAll()
    .where('subject', '=', subject)
    .where('starts_at', '>=', since)
    .orderBy('starts_at')
    .execute()
}

/** Returns the newest incidents of these subjects that went on at a time or later, newest first. */
export function incidentsOf(
  db: Db,
  { subjects, since, limit }: { subjects: readonly string[]; since: number; limit: number },
): Promise<IncidentRow[]> {
  if (subjects.length === 0) return Promise.resolve([])
  return db
    .selectFrom('uptime_incidents')
    .selectAll()
    .where('subject', 'in', subjects)
    .where((row) => row.or([row('ended_at', 'is', null), row('ended_at', '>=', since)]))
    .orderBy('began_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Deletes what is older than it is kept, and the incidents of a subject beyond the newest. */
export async function deleteOld(
  db: Db,
  { day, point, incident }: { day: number; point: number; incident: number },
): Promise<void> {
  await db.deleteFrom('uptime_days').where('day', '<', day).execute()
  await db.deleteFrom('uptime_points').where('starts_at', '<', point).execute()
  await db.deleteFrom('uptime_incidents').where('ended_at', '<', incident).execute()
  // Upstreams come and go with the sites that name them.
  await db
    .deleteFrom('uptime_subjects')
    .where('subject', 'like', 'upstream:%')
    .where('checked_at', '<', incident)
    .execute()
}

/** Deletes the oldest ended incidents of each subject that has more than so many. */
export async function deleteExcessIncidents(db: Db, most: number): Promise<void> {
  const crowded = await db
    .selectFrom('uptime_incidents')
    .select('subject')
    .groupBy('subject')
    .having((row) => row.fn.countAll<number>(), '>', most)
    .execute()
  for (const { subject } of crowded) {
    const kept = db
      .selectFrom('uptime_incidents')
      .select('id')
      .where('subject', '=', subject)
      .orderBy('began_at', 'desc')
      .limit(most)
    await db
      .deleteFrom('uptime_incidents')
      .where('subject', '=', subject)
      .where('ended_at', 'is not', null)
      .where('id', 'not in', kept)
      .execute()
  }
}

/** Deletes everything about subjects. */
export async function deleteSubjects(db: Db, subjects: readonly string[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const some of groups(subjects))
      for (const table of ['uptime_subjects', 'uptime_days', 'uptime_points', 'uptime_incidents'] as const)
        await trx.deleteFrom(table).where('subject', 'in', some).execute()
  })
}
