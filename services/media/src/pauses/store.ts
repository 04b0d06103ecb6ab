import { sql, type Kysely } from 'kysely'
import type { Platform } from '../platforms/schema.ts'
import type { PlatformPauseRow, Tables } from '../tables.ts'
import { longestPause } from './pause-rules.ts'

type Db = Kysely<Tables>

/** An attempt of a job. */
export interface Probe {
  readonly id: string
  readonly attempt: number
}

/** True of a pause, called `pause` in the query, whose probe a worker has. */
const isProbing = sql<boolean>`exists (
  select 1 from jobs as probe
  where probe.id = pause.probe_job and probe.attempt = pause.probe_attempt and probe.lease_until is not null)`

/** True of a job of the table `jobs` that its platform keeps from starting: it is paused, or a probe is under way. */
export const isHeldBack = (now: number) => sql<boolean>`exists (
  select 1 from platform_pauses as pause
  where pause.platform = jobs.platform and 
    ((pause.paused_until > ${now} and pause.paused_until <= ${now + longestPause}) or ${isProbing}))`

/** A pause, and whether its probe is under way. */
export type PauseState = PlatformPauseRow & { readonly is_probing: boolean }

/** Lists the pauses by platform. */
export async function listPauses(db: Db): Promise<PauseState[]> {
  const rows = await db
    .selectFrom('platform_pauses as pause')
    .selectAll('pause')
    .select(sql<number>`case when ${isProbing} then 1 else 0 end`.as('probing'))
    .orderBy('pause.platform')
    .execute()
  return rows.map(({ probing, ...pause }) => Object.assign(pause, { is_probing: probing === 1 }))
}

/** Returns the pause of a platform. */
export async function findPause(db: Db, platform: Platform): Promise<PauseState | undefined> {
  return (await listPauses(db)).find((pause) => pause.platform === platform)
}

/** Makes an attempt the probe of a pause as it was read; false when another one became it meanwhile. */
export async function claimProbe(db: Db, seen: PlatformPauseRow, { id, attempt }: Probe): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('platform_pauses')
    .set({ probe_job: id, probe_attempt: attempt })
    .where('platform', '=', seen.platform)
    .where('paused_until', '=', seen.paused_until)
    .where((row) => row.and([same('probe_job', seen.probe_job), same('probe_attempt', seen.probe_attempt)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const same = (column: 'probe_job' | 'probe_attempt', value: string | number | null) =>
  value === null ? sql<boolean>`${sql.ref(column)} is null` : sql<boolean>`${sql.ref(column)} = ${value}`

/** Adds a pause; one that is there already stays. */
export async function insertPause(db: Db, row: PlatformPauseRow): Promise<void> {
  await db
    .insertInto('platform_pauses')
    .values(row)
    .onConflict((conflict) => conflict.column('platform').doNothing())
    .execute()
}

/** Writes what a refused probe means for the pause; false when it is not its probe. */
export async function extendPause(
  db: Db,
  platform: Platform,
  { probe, ...values }: Pick<PlatformPauseRow, 'reason' | 'paused_until' | 'refusals'> & { readonly probe: Probe },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('platform_pauses')
    .set({ ...values, probe_job: null, probe_attempt: null })
    .where('platform', '=', platform)
    .where('probe_job', '=', probe.id)
    .where('probe_attempt', '=', probe.attempt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends the pause of a platform whose probe this is; false when it is not. */
export async function endPause(db: Db, platform: Platform, probe: Probe): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('platform_pauses')
    .where('platform', '=', platform)
    .where('probe_job', '=', probe.id)
    .where('probe_attempt', '=', probe.attempt)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Lets a probe start now; false when the platform is not paused, or its time is over already. */
export async function shortenPause(db: Db, platform: Platform, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('platform_pauses')
    .set({ paused_until: now })
    .where('platform', '=', platform)
    .where('paused_until', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
