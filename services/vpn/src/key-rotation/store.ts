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

/** An interface of this host whose peers change their keys; its private key is sealed. */
export interface RotatingInterface {
  readonly name: string
  readonly listen_port: number
  readonly private_key: string
}

/** Reads those of these interfaces that run on this host. */
export function rotatingInterfaces(db: Kysely<Tables>, names: readonly string[]): Promise<RotatingInterface[]> {
  return db
    .selectFrom('interfaces')
    .select(['name', 'listen_port', 'private_key'])
    .where('name', 'in', names)
    .where('node_id', 'is', null)
    .where('enabled', '=', 1)
    .execute()
}
