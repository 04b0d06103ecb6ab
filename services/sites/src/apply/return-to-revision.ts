import { isDeepStrictEqual } from 'node:util'
import type { BulkEdit, EditMany } from '../sites/bulk-edit.ts'
import { wantedOfRow } from '../sites/site-change.ts'
import type { SiteRow } from '../sites/tables.ts'
import type { DesiredSite } from './desired-sites.ts'
import type { Revisions } from './revisions.ts'
import type { SyncResult } from './schema.ts'

/** Brings all sites back to what a revision left in place. Disabled sites stay; nothing of the history is lost. */
export type ReturnToRevision = (id: number, author: string) => Promise<SyncResult>

export function createReturnToRevision(parts: {
  readonly revisions: Revisions
  readonly rows: () => Promise<SiteRow[]>
  readonly editMany: EditMany
}): ReturnToRevision {
  return async (id, author) => {
    const edit = editTo(await parts.revisions.sitesAt(id), await parts.rows())
    const count = edit.put.length + edit.remove.length
    const result = count === 0 ? undefined : await parts.editMany(edit, { author, cause: `return to ${id}` })
    return {
      status: result?.synced.status ?? 'no_change',
      config_sha256: result?.synced.sha ?? null,
      synced: result === undefined || result.synced.status !== 'unknown',
      detail: result === undefined ? 'Everything is as it was then already' : `${count} sites are as they were then`,
      revision_id: null,
    }
  }
}

/** What must be edited so that the enabled sites are these. */
export function editTo(target: readonly DesiredSite[], rows: readonly SiteRow[]): BulkEdit {
  const current = new Map(rows.map((row) => [row.id, row]))
  const wanted = new Set(target.map((site) => site.id))
  return {
    put: target.flatMap(({ id, record, extras }) => {
      const row = current.get(id)
      const isSame = row !== undefined && isDeepStrictEqual(wantedOfRow(row), { record, extras })
      return isSame ? [] : [{ id, wanted: { record, extras } }]
    }),
    remove: rows.flatMap((row) => (row.enabled === 1 && !wanted.has(row.id) ? [row.id] : [])),
  }
}
