import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { OpenGuarded } from '@hearth/outbound'
import { type Clock, type KeyedQueue, writeFileAtomic } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { ListRow, Tables } from '../tables.ts'
import { draftId, examineDraft, textPath } from './compile.ts'
import { expiryOf, type FetchedList, fetchList, type FetchTiming, ListRefused } from './fetch-list.ts'
import { unsupportedOf } from './list-view.ts'
import type { ListReport } from './line-count.ts'
import type { ListUpdate } from './schema.ts'
import * as store from './store.ts'

/** Dependencies of `updateList`. */
export interface UpdateDependencies {
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
export type UpdateOutcome = Pick<ListUpdate, 'entries' | 'added' | 'removed'> & { status: 'updated' | 'unchanged' }

/**
 * Fetches one list, examines what came, and puts it in the place of the old text. Whatever goes wrong, the old text stays and
 * the record says why; then it throws, a `ListRefused` when it is the list's fault.
 */
export async function updateList(
  dependencies: UpdateDependencies,
  id: string,
  signal: AbortSignal,
): Promise<UpdateOutcome> {
  const row = await store.findListRow(dependencies.db, id)
  if (row === undefined) throw new ListRefused('it was deleted')
  try {
    const { directory, open, timing } = dependencies
    // Without the stored text the server has to send it again.
    const isKnown = hasText(directory, row)
    const known = isKnown ? { etag: row.etag, lastModified: row.last_modified } : { etag: null, lastModified: null }
    const fetched = await fetchList(open, row.url, { known, signal, ...(timing === undefined ? {} : { timing }) })
    return await takeFetched(dependencies, row, fetched)
  } catch (error) {
    signal.throwIfAborted()
    const last_error = error instanceof ListRefused ? error.message : 'something went wrong here; the log says more'
    // What the text in force could not be used for stays; without one, people look for what was wrong with the new one.
    const findings = error instanceof UselessText && row.sha256 === null ? { unsupported: error.unsupported } : {}
    await store.updateListRow(dependencies.db, id, { last_checked: dependencies.clock.now(), last_error, ...findings })
    throw error
  } finally {
    await rm(textPath(dependencies.directory, draftId(id)), { force: true })
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

const hasText = (directory: string, { id, sha256 }: ListRow): boolean =>
  sha256 !== null && existsSync(textPath(directory, id))

async function takeFetched(
  dependencies: UpdateDependencies,
  row: ListRow,
  fetched: FetchedList,
): Promise<UpdateOutcome> {
  const checked = { last_checked: dependencies.clock.now(), last_error: null }
  const unchanged = { status: 'unchanged', entries: row.entries, added: 0, removed: 0 } as const
  if (fetched.kind === 'unchanged') {
    await store.updateListRow(dependencies.db, row.id, checked)
    return unchanged
  }
  const { text, etag, lastModified } = fetched
  const columns = { ...checked, etag, last_modified: lastModified, expires_seconds: expiryOf(text) }
  const sha256 = createHash('sha256').update(text).digest('hex')
  if (sha256 === row.sha256 && hasText(dependencies.directory, row)) {
    await store.updateListRow(dependencies.db, row.id, columns)
    return unchanged
  }
  const draft = textPath(dependencies.directory, draftId(row.id))
  await mkdir(dirname(draft), { recursive: true, mode: 0o700 })
  await writeFileAtomic(draft, text)
  const { report, added, removed } = await examineDraft(dependencies.directory, row)
  // Rules that only take others away are of use, too.
  if (report.accepted === 0) throw new UselessText(report)
  const found = { entries: report.entries, unsupported: unsupportedOf(report) }
  await replaceText(dependencies, row, { ...columns, ...found, sha256, last_updated: checked.last_checked })
  return { status: 'updated', entries: report.entries, added, removed }
}

/** The list may have been deleted, or be another one, since the fetch began. */
async function replaceText(dependencies: UpdateDependencies, row: ListRow, found: Partial<ListRow>): Promise<void> {
  const { db, directory, queue } = dependencies
  await queue.run(row.id, async () => {
    const now = await store.findListRow(db, row.id)
    if (now?.url !== row.url || now.format !== row.format) throw new ListRefused('it was changed meanwhile')
    await rename(textPath(directory, draftId(row.id)), textPath(directory, row.id))
    await store.updateListRow(db, row.id, found)
  })
}

/** Number of reasons and lines that are named. */
const maxReasons = 3
const maxExamples = 2

/** Message about a text without usable lines: the number of lines by reason, and some of them. */
function uselessMessage({ unsupported, examples, comments }: ListReport): string {
  const reasons = Object.entries(unsupported)
  if (reasons.length === 0)
    return comments > 0 ? 'it holds no names, only comments and blank lines' : 'it holds no names'
  const total = reasons.reduce((sum, [, count]) => sum + count, 0)
  const named = reasons.slice(0, maxReasons).map(([reason, count]) => `${count} × ${reason}`)
  const rest = reasons.length > maxReasons ? ', …' : ''
  const lines = examples.slice(0, maxExamples).map(({ line, text, reason }) => `line ${line} “${text}” (${reason})`)
  const noun = total === 1 ? 'line' : 'lines'
  return `it holds no names; ${total} ${noun} of no use: ${named.join(', ')}${rest}. For example ${lines.join('; ')}`
}
