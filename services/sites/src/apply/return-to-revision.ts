import { isDeepStrictEqual } from 'node:util'
import { reauthenticationRequired } from '../access.ts'
import { invalidSite } from '../problems.ts'
import type { BulkEdit, EditMany } from '../sites/bulk-edit.ts'
import type { CheckWanted } from '../sites/check-wanted.ts'
import type { FieldIssue } from '../sites/rule-context.ts'
import { wantedOfRow } from '../sites/site-change.ts'
import type { SiteRow } from '../sites/tables.ts'
import type { DesiredSite } from './desired-sites.ts'
import type { Revisions } from './revisions.ts'
import type { SyncResult } from './schema.ts'

/** Who wants it, and whether they proved who they are in the last five minutes. */
export interface Returning {
  readonly author: string
  readonly isRecent: boolean
}

/**
 * Brings all sites back to what a revision left in place. Disabled sites stay; nothing of the history is lost. What the rules of
 * today refuse does not come back, and directives of one's own only for somebody who proved who they are.
 */
export type ReturnToRevision = (id: number, who: Returning) => Promise<SyncResult>

export function createReturnToRevision(parts: {
  readonly revisions: Revisions
  readonly rows: () => Promise<SiteRow[]>
  readonly editMany: EditMany
  /** The rules, for one return. */
  readonly check: () => CheckWanted
}): ReturnToRevision {
  return async (id, { author, isRecent }) => {
    const edit = editTo(await parts.revisions.sitesAt(id), await parts.rows())
    if (!isRecent && edit.put.some(({ wanted }) => wanted.record.kind === 'raw')) throw reauthenticationRequired()
    await checkAll(edit, parts.check())
    const count = edit.put.length + edit.remove.length
    const result = count === 0 ? undefined : await parts.editMany(edit, { author, cause: `return to ${id}` })
    const { status, sha, error } = result?.synced ?? { status: 'no_change' }
    return {
      status,
      config_sha256: sha ?? null,
      synced: status === 'synced' || status === 'no_change',
      detail: error ?? (count === 0 ? 'Everything is as it was then already' : returned(count)),
      revision_id: null,
    }
  }
}

const returned = (count: number): string =>
  count === 1 ? '1 site is as it was then' : `${count} sites are as they were then`

/** Whose a domain or a name is changes with the return itself; everything else must be right. */
async function checkAll({ put }: BulkEdit, check: CheckWanted): Promise<void> {
  const found: FieldIssue[] = []
  for (const { id, wanted } of put) {
    const { errors } = await check(wanted, id)
    const name = wanted.record.site_name
    const others = errors.filter(({ field }) => !/^(domains|site_name)\b/.test(field))
    found.push(...others.map(({ field, message }) => ({ field, message: `${message} (site "${name}")` })))
  }
  if (found.length > 0) throw invalidSite(found.slice(0, 20))
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
