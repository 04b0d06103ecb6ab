import type { Kysely } from 'kysely'
import { findInterfaceRow } from '../interfaces/store.ts'
import { invalidField, notFound } from '../problems.ts'
import type { InterfaceRow, Tables } from '../tables.ts'
import { findPeerRow, type PeerWithActivityRow } from './store.ts'

export async function findPeer(db: Kysely<Tables>, id: string): Promise<PeerWithActivityRow> {
  const row = await findPeerRow(db, id)
  if (row === undefined) throw notFound(`peer ${id}`)
  return row
}

/** Finds the interface that a peer names. */
export async function findInterface(db: Kysely<Tables>, name: string): Promise<InterfaceRow> {
  const row = await findInterfaceRow(db, name)
  if (row === undefined) throw invalidField('interface', 'does not exist', 'unknown')
  return row
}
