import { notFound } from '../problems.ts'
import type { Drift, DriftWatch } from './drift-watch.ts'
import type { DriftView } from './schema.ts'
import type { SyncAll } from './sync-all.ts'
import { redactConfig } from '../caddy/redact.ts'
import { diffJson } from '../caddy/config-diff.ts'

/** What somebody else changed, and the two ways to deal with it. */
export interface DriftKeeper {
  /** Looks afresh. */
  list(): Promise<DriftView[]>
  /** Makes the nodes run what is wanted here again. */
  restore(author: string): ReturnType<SyncAll>
}

export function createDriftKeeper(watch: DriftWatch, syncAll: SyncAll): DriftKeeper {
  return {
    async list() {
      await watch.look()
      return watch.current().map(viewOf)
    },
    async restore(author) {
      if (watch.current().length === 0) throw notFound('drift')
      const result = await syncAll(author, true)
      await watch.look()
      return result
    },
  }
}

function viewOf(drift: Drift): DriftView {
  const changes = diffJson(redactConfig(drift.expected), redactConfig(drift.running))
  return {
    node_id: drift.nodeId,
    node_name: drift.nodeName,
    since: new Date(drift.since).toISOString(),
    running_sha256: drift.sha,
    changes: changes.slice(0, 200),
    change_count: changes.length,
  }
}
