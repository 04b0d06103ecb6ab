import { createHash } from 'node:crypto'
import { access, mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { OpenGuarded } from '@hearth/outbound'
import { writeFileAtomic, type Clock, type KeyedQueue } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { ListRow, Tables } from '../database/tables.ts'
import { draftId, examineDraft } from './examine-text.ts'
import { expiryOf, fetchList, ListRefused, type FetchedList, type FetchTiming, type KnownText } from './fetch-list.ts'
import { unsupportedOf } from './list-view.ts'
import type { ListReport } from '../dns/process/messages.ts'
import { uselessMessage } from './useless-message.ts'
import * as store from './store.ts'
import { textPath } from './text-path.ts'

/** Dependencies of `updateList`. */
export interface UpdateParts {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  /** `DATA_DIR/dns`. */
  readonly directory: string
  readonly open: OpenGuarded
  /** Changes of one list's text and record, by its id. */
  readonly queue: KeyedQueue
  readonly timing?: FetchTiming | undefined
}

/** Outcome of a successful update. */
export interface UpdateOutcome {
  readonly status: 'updated' | 'unchanged'
  readonly entries: number
  readonly added: number
  readonly removed: number
}

/**
 * Fetches one list, examines what came, and puts it in the place of the old text. Whatever goes wrong, the old text stays and
 * the record says why; then it throws, a `ListRefused` when it is the list's fault.
 */
export async function updateList(parts: UpdateParts, id: string, signal: AbortSignal): Promise<UpdateOutcome> {
  const row = await store.findListRow(parts.db, id)
  if (row === undefined) throw new ListRefused('it was deleted')
  try {
    const known = await knownOf(parts, row)
    const { open, timing } = parts
    const fetched = await fetchList(open, row.url, { known, signal, ...(timing === undefined ? {} : { timing }) })
    return await takeFetched(parts, row, fetched)
  } catch (error) {
    signal.throwIfAborted()
    const last_error = error instanceof ListRefused ? error.message : 'something went wrong here; the log says more'
    // What the text in force could not be used for stays; without one, people look for what was wrong with the new one.
    const findings = error instanceof UselessText && row.sha256 === null ? { unsupported: error.unsupported } : {}
    await store.updateListRow(parts.db, id, { last_checked: parts.clock.now(), last_error, ...findings })
    throw error
  } finally {
    await rm(textPath(parts.directory, draftId(id)), { force: true })
  }
}

/** A text without a line of use. */
class UselessText extends ListRefused {
  readonly unsupported: string

  constructor(report: ListReport) {
    super(uselessMessage(report))
    this.unsupported = unsupportedOf(report)
  }
}

/** Only a text that is still there need not be sent again. */
async function knownOf({ directory }: UpdateParts, row: ListRow): Promise<KnownText> {
  const isThere = await hasText(directory, row)
  return isThere ? { etag: row.etag, lastModified: row.last_modified } : { etag: null, lastModified: null }
}

async function hasText(directory: string, { id, sha256 }: ListRow): Promise<boolean> {
  if (sha256 === null) return false
  return access(textPath(directory, id)).then(
    () => true,
    () => false,
  )
}

async function takeFetched(parts: UpdateParts, row: ListRow, fetched: FetchedList): Promise<UpdateOutcome> {
  const checked = { last_checked: parts.clock.now(), last_error: null }
  const unchanged = { status: 'unchanged', entries: row.entries, added: 0, removed: 0 } as const
  if (fetched.kind === 'unchanged') {
    await store.updateListRow(parts.db, row.id, checked)
    return unchanged
  }
  const { text, etag, lastModified } = fetched
  const told = { ...checked, etag, last_modified: lastModified, expires_seconds: expiryOf(text) }
  const sha256 = createHash('sha256').update(text).digest('hex')
  if (sha256 === row.sha256 && (await hasText(parts.directory, row))) {
    await store.updateListRow(parts.db, row.id, told)
    return unchanged
  }
  const draft = textPath(parts.directory, draftId(row.id))
  await mkdir(dirname(draft), { recursive: true, mode: 0o700 })
  await writeFileAtomic(draft, text)
  const { report, added, removed } = await examineDraft(parts.directory, row)
  // Rules that only take others away are of use, too.
  if (report.accepted === 0) throw new UselessText(report)
  const found = { entries: report.entries, unsupported: unsupportedOf(report) }
  await replaceText(parts, row, { ...told, ...found, sha256, last_updated: checked.last_checked })
  return { status: 'updated', entries: report.entries, added, removed }
}

/** The list may have been deleted, or be another one, since the fetch began. */
async function replaceText(parts: UpdateParts, row: ListRow, found: Partial<ListRow>): Promise<void> {
  const { db, directory, queue } = parts
  await queue.run(row.id, async () => {
    const now = await store.findListRow(db, row.id)
    if (now?.url !== row.url || now.format !== row.format) throw new ListRefused('it was changed meanwhile')
    await rename(textPath(directory, draftId(row.id)), textPath(directory, row.id))
    await store.updateListRow(db, row.id, found)
  })
}
