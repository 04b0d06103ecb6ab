import type { Apply } from './apply.ts'
import type { SyncResult } from './schema.ts'
import { readWholeResult } from './sync-sites.ts'

/** Applies what is wanted, though nothing was edited. Throws a problem when nothing of it runs. */
export type SyncAll = (author: string, isForced: boolean) => Promise<SyncResult>

const details = {
  synced: 'Caddy runs what is wanted now',
  no_change: 'Caddy runs what is wanted already',
  partly: 'Caddy runs a part of what is wanted',
  pending: 'Not tried yet',
  unknown: 'The connection to Caddy broke off; what runs is being found out',
}

export function createSyncAll(apply: Apply): SyncAll {
  return async (author, isForced) => {
    const result = await apply.request({
      siteIds: [],
      cause: isForced ? 'restore' : 'sync',
      author,
      isForced,
      isUrgent: true,
    })
    const { status, sha, error } = readWholeResult(result)
    return {
      status,
      config_sha256: sha ?? null,
      synced: status === 'synced' || status === 'no_change',
      detail: error ?? details[status],
      revision_id: result.revisionId ?? null,
    }
  }
}
