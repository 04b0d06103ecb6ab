import type { Kysely } from 'kysely'
import type { Config } from '../../config.ts'
import type { CaddyProcess } from './caddy-process.ts'
import { firstNode } from './nodes.ts'
import { findNodeRow, insertNodeRow, unknownState, updateNodeRow } from './store.ts'
import type { NodeTables } from './tables.ts'

/**
 * Brings the node of the settings up to date with them: the first one, which is always there. What the service knows of it is
 * kept unless it is another Caddy now.
 */
export async function settleFirstNode(
  db: Kysely<NodeTables>,
  { caddy, own, now }: { caddy: Config['caddy']; own: CaddyProcess | undefined; now: number },
): Promise<void> {
  const row = await findNodeRow(db, firstNode)
  const places = {
    http_port: caddy.httpPort,
    https_port: caddy.httpsPort,
    bind: JSON.stringify(caddy.bind),
    log_file: own === undefined ? (caddy.logFile ?? null) : `${own.logs}/access.log`,
  }
  if (row === undefined) {
    await insertNodeRow(db, {
      id: firstNode,
      name: 'caddy',
      admin: caddy.admin ?? null,
      ...places,
      ...unknownState,
      created_at: now,
    })
    return
  }
  // An address that was given over the API stays, as long as the settings name none.
  const admin = caddy.admin ?? (own === undefined ? row.admin : null)
  await updateNodeRow(db, firstNode, admin === row.admin ? places : { ...places, ...unknownState, admin })
}
