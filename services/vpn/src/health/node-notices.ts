import type { HealthNotice } from './schema.ts'

/** A lost node, as far as health examines it. */
export interface LostNode {
  readonly name: string
  readonly address: string | null
  readonly last_seen_at: string | null
}

/** Maximum number of names in one notice. */
const maxNamed = 5

/** A node whose peers get no answers for names, or those of older files. */
export interface NodeWithoutDns {
  readonly name: string
  readonly reason: string
}

/** Returns a notice about nodes on which the resolver does not work, or works from older files. */
export function nodeDnsNotices(nodes: readonly NodeWithoutDns[]): HealthNotice[] {
  if (nodes.length === 0) return []
  return [
    {
      code: 'node_dns',
      severity: 'critical',
      title: nodes.length === 1 ? 'DNS on a node needs attention' : 'DNS on nodes needs attention',
      detail: someOf(nodes, ({ name, reason }) => `${name}: ${reason}`),
      advice:
        'Look into the log of hearth vpn node run on that host. Until then, its interfaces can name other DNS servers.',
    },
  ]
}

/** Returns a notice about nodes that are lost. */
export function nodeNotices(lost: readonly LostNode[]): HealthNotice[] {
  if (lost.length === 0) return []
  return [
    {
      code: 'node_lost',
      severity: 'critical',
      title: lost.length === 1 ? 'A node does not report' : 'Nodes do not report',
      detail: someOf(lost, lastHeardOf),
      advice: 'Check that the host runs, that hearth vpn node run runs on it, and that it reaches this service.',
    },
  ]
}

function lastHeardOf({ name, address, last_seen_at: seenAt }: LostNode): string {
  const where = address === null ? '' : ` at ${address}`
  return `${name}${where}, last heard of ${seenAt === null ? 'never' : `at ${seenAt.slice(0, 16).replace('T', ' ')} UTC`}`
}

function someOf<T>(nodes: readonly T[], textOf: (node: T) => string): string {
  const rest = nodes.length - maxNamed
  return [...nodes.slice(0, maxNamed).map(textOf), ...(rest > 0 ? [`${rest} more`] : [])].join('; ')
}
