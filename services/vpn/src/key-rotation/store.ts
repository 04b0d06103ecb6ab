import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** A peer whose next key waits for its first handshake. */
export interface WaitingRow {
  readonly id: string
  readonly name: string
  readonly interface: string
  readonly next_public_key: string
  readonly next_due: number
}

/** Reads the peers whose next keys wait. */
export function waitingRows(db: Kysely<Tables>): Promise<WaitingRow[]> {
  return db
    .selectFrom('peers')
    .select(['id', 'name', 'interface', 'next_public_key', 'next_due'])
    .where('next_public_key', 'is not', null)
    .$narrowType<{ next_public_key: string; next_due: number }>()
    .execute()
}
