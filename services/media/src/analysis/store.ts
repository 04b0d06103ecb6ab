import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { AudioAnalysis } from './analyse-audio.ts'

type Db = Kysely<Tables>

/** Grows when the estimator would answer differently: older results are found out anew. */
const version = 1

/** The analysis of a file with the same content. */
export async function findAnalysis(db: Db, hash: string): Promise<AudioAnalysis | undefined> {
  const row = await db
    .selectFrom('analysis_results')
    .select('result')
    .where('audio_hash', '=', hash)
    .where('version', '=', version)
    .executeTakeFirst()
  return row === undefined ? undefined : (JSON.parse(row.result) as AudioAnalysis)
}

export async function saveAnalysis(db: Db, analysis: AudioAnalysis): Promise<void> {
  const row = { audio_hash: analysis.hash, version, result: JSON.stringify(analysis) }
  await db
    .insertInto('analysis_results')
    .values(row)
    .onConflict((conflict) => conflict.column('audio_hash').doUpdateSet({ version, result: row.result }))
    .execute()
}
