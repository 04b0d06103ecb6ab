import type { Kysely } from 'kysely'
import type { Tables } from '../../tables.ts'

/** Removes the hours and days of a meter from a time on, which are added up anew. */
export async function removeSums(
  db: Kysely<Tables>,
  meter: number,
  { hour, day }: { readonly hour: number; readonly day: string },
): Promise<void> {
  await db.deleteFrom('energy_hours').where('meter', '=', meter).where('hour', '>=', hour).execute()
  await db.deleteFrom('energy_days').where('meter', '=', meter).where('day', '>=', day).execute()
}
