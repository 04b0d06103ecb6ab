import type { Kysely } from 'kysely'
import type { PeerRow, Tables } from '../tables.ts'

/** A peer as far as its bandwidth limit goes. */
export type LimitedPeerRow = Pick<PeerRow, 'id' | 'interface' | 'ip' | 'ipv6' | 'limit_down' | 'limit_up' | 'networks'>

const columns = ['id', 'interface', 'ip', 'ipv6', 'limit_down', 'limit_up', 'networks'] as const

/** Reads the peers that have a limit, or a quota that may limit them. */
export function limitedPeerRows(db: Kysely<Tables>): Promise<LimitedPeerRow[]> {
  return db
    .selectFrom('peers')
    .select(columns)
    .where((where) =>
      where.or([
        where('limit_down', 'is not', null),
        where('limit_up', 'is not', null),
        where('id', 'in', where.selectFrom('peer_quotas').select('peer_id')),
      ]),
    )
    .execute()
}

/** Ids of one statement; the databases' limits on parameters are higher. */
const idsAtOnce = 500

/** Reads these peers. */
export async function limitedPeerRowsOf(db: Kysely<Tables>, ids: readonly string[]): Promise<LimitedPeerRow[]> {
  const rows: LimitedPeerRow[] = []
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const part = ids.slice(at, at + idsAtOnce)
    rows.push(...(await db.selectFrom('peers').select(columns).where('id', 'in', part).execute()))
  }
  return rows
}
