import { oldestCapabilities } from '../caddy/capabilities.ts'
import type { NodePlace } from '../caddy/desired-state.ts'
import type { CaddyProcess } from './caddy-process.ts'
import type { KnownNode } from './nodes.ts'

/** What a configuration for the node is made for. */
export function placeOf(node: KnownNode, own: CaddyProcess | undefined): NodePlace {
  const { row } = node
  const isOwn = row.admin === null
  return {
    admin: { ...node.adminBlock },
    httpPort: row.http_port,
    httpsPort: row.https_port,
    bind: JSON.parse(row.bind) as string[],
    capabilities: node.capabilities ?? oldestCapabilities,
    ...(row.log_file !== null && { logFile: row.log_file }),
    ...(isOwn && own !== undefined && { storageRoot: own.storage, siteLogDirectory: own.logs }),
  }
}

/** Where the service itself reaches what the node serves. */
export function reachHost({ admin, row }: Pick<KnownNode, 'admin' | 'row'>): string {
  const [first] = JSON.parse(row.bind) as string[]
  if (first !== undefined) return first
  return admin.kind === 'tcp' ? admin.host : '127.0.0.1'
}
