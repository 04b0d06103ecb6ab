import { type Kysely } from 'kysely'

/** Key, loudness and silence of sounds, and the queue of sounds that are analysed again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('jobs').addColumn('musical_key', 'integer').execute()
  for (const name of ['key_confidence', 'loudness_lufs', 'loudness_range_lu', 'true_peak_dbtp'])
    await db.schema.alterTable('jobs').addColumn(name, 'double precision').execute()
  for (const name of ['silence_start_ms', 'silence_end_ms', 'analysis_wanted_at', 'analysis_lease_until'])
    await db.schema.alterTable('jobs').addColumn(name, 'bigint').execute()
  await db.schema.alterTable('jobs').addColumn('analyser_version', 'integer').execute()
  await db.schema.createIndex('jobs_analysis').on('jobs').column('analysis_wanted_at').execute()
}
