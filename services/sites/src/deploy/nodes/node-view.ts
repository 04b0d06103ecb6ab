import { toIsoString } from '@hearth/runtime'
import { formatAdminAddress } from './admin-address.ts'
import type { KnownNode } from './nodes.ts'
import type { Node } from './schema.ts'

/** Facts about a node beside its row and its last contact. */
export interface NodeFacts {
  readonly isDrifted: boolean
  /** Sites it does not run as they are wanted. */
  readonly pending: number
  readonly version: string | undefined
  readonly warnings: readonly string[]
}

/** The wire form of a node. */
export function nodeView(node: KnownNode, { isDrifted, pending, version, warnings }: NodeFacts): Node {
  const { row, capabilities } = node
  return {
    id: row.id,
    name: row.name,
    admin_url: formatAdminAddress(node.admin),
    is_own: row.admin === null,
    http_port: row.http_port,
    https_port: row.https_port,
    bind: JSON.parse(row.bind) as string[],
    log_file: row.log_file,
    onboarded: row.onboarded_at !== null,
    reachable: node.isReachable,
    error: node.error ?? null,
    checked_at: toIsoString(node.checkedAt ?? null),
    version: version ?? null,
    capabilities: capabilities === undefined ? null : { ...capabilities },
    state: stateOf(node, { isDrifted, pending }),
    warnings: [...warnings],
  }
}

function stateOf(node: KnownNode, { isDrifted, pending }: Pick<NodeFacts, 'isDrifted' | 'pending'>): Node['state'] {
  if (node.checkedAt === undefined) return 'unknown'
  if (!node.isReachable) return 'unreachable'
  if (node.row.onboarded_at === null) return 'not_onboarded'
  if (isDrifted) return 'drifted'
  return pending > 0 || node.row.expected_sha === null ? 'pending' : 'in_sync'
}

/** Returns warnings about the way the node is reached. */
export function nodeWarnings({ admin, capabilities, adminBlock }: KnownNode): string[] {
  if (admin.kind === 'unix') return []
  const isOld = capabilities !== undefined && !Object.values(capabilities).every(Boolean)
  const warnings = ['The admin endpoint is a TCP port: whoever reaches it controls the server. A unix socket is safer.']
  if (isOld && adminBlock.enforceOrigin !== true)
    warnings.push(
      'This version of Caddy takes changes that a web page in somebody’s browser sends to the port (CVE-2026-27589, mended in 2.11.1). Use a unix socket, or a newer version.',
    )
  return warnings
}
