import { readFile, stat } from 'node:fs/promises'
import { text as readStream } from 'node:stream/consumers'
import { OperatorError } from '@hearth/runtime'
import { maxSiteFile, readSiteFile, SiteFileRefused, UploadNames, writeSiteFile } from '../as-code/site-file.ts'
import { type PlannedSite, planSites, type SitePlan } from '../as-code/site-plan.ts'
import { Problem } from '../problems.ts'
import type { SettleWanted } from '../sites/check-wanted.ts'
import { wantedOfRow } from '../sites/site-change.ts'
import { allSiteRows } from '../sites/store.ts'
import { withStorage } from './data.ts'
import { openStoredSites } from './stored-sites.ts'

/** Options of `hearth sites apply`. */
export interface ApplyOptions {
  readonly dryRun?: boolean
  readonly prune?: boolean
}

/** Prints all sites as YAML, without passwords; certificates stand in it by their names. */
export async function exportSites(): Promise<void> {
  await withStorage(async (storage) => {
    const { uploads } = await openStoredSites(storage)
    const records = (await allSiteRows(storage.database.query)).map((row) => wantedOfRow(row).record)
    process.stdout.write(writeSiteFile(records, new UploadNames(await uploads.list())))
  })
}

/** Makes the sites those of a file (`-` for standard input): says what differs, and changes all of it at once or nothing. */
export async function applySites(path: string, { dryRun = false, prune = false }: ApplyOptions): Promise<void> {
  const text = await readText(path)
  await withStorage(async (storage) => {
    const { db, uploads, settleMany, editMany } = await openStoredSites(storage)
    const rows = await allSiteRows(db)
    const stored = rows.map((row) => ({ id: row.id, wanted: wantedOfRow(row) }))
    const plan = await planSites(read(text, new UploadNames(await uploads.list())), stored, prune)
    const put = await settleAll(plan, settleMany())
    print(plan, dryRun)
    if (dryRun || plan.changes.length === 0) return
    const remove = plan.changes.flatMap((change) => (change.kind === 'delete' ? [change.id] : []))
    await editMany({ put, remove }, { author: 'command line', cause: 'import' })
  })
}

function read(text: string, uploads: UploadNames) {
  try {
    return readSiteFile(text, uploads)
  } catch (error) {
    throw error instanceof SiteFileRefused ? new OperatorError(error.message, { cause: error }) : error
  }
}

/** Holds every site to the rules, and refuses the file with all reasons. */
async function settleAll({ changes }: SitePlan, settle: SettleWanted) {
  const reasons: string[] = []
  const put: { id?: number; wanted: Awaited<ReturnType<SettleWanted>> }[] = []
  for (const change of changes) {
    if (change.kind === 'delete') continue
    const id = change.kind === 'change' ? { id: change.id } : {}
    try {
      put.push({ ...id, wanted: await settle(change.wanted, id.id) })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const { detail, errors = [] } = error.body
      if (errors.length === 0) reasons.push(`${change.name}: ${detail}`)
      for (const { field = '', message } of errors) reasons.push(`${change.name}: ${field}: ${message}`)
    }
  }
  if (reasons.length > 0) throw new OperatorError(reasons.join('\n'))
  return put
}

function print({ changes, strangers }: SitePlan, isDryRun: boolean): void {
  const lines = [
    ...changes.map(lineOf),
    ...strangers.map((name) => `not in the file, stays: ${name}`),
    changes.length === 0
      ? 'everything is as the file says'
      : `${changes.length} ${changes.length === 1 ? 'site' : 'sites'} ${isDryRun ? 'would be changed; nothing was' : 'changed'}`,
  ]
  process.stdout.write(`${lines.join('\n').replaceAll(/[^\P{Cc}\n]/gu, '?')}\n`)
}

function lineOf(change: PlannedSite): string {
  const members = change.kind === 'change' ? `: ${change.members.join(', ')}` : ''
  return `${change.kind} ${change.name}${members}`
}

async function readText(path: string): Promise<string> {
  if (path === '-') return readStream(process.stdin)
  try {
    const { size } = await stat(path)
    if (size > maxSiteFile) throw new OperatorError(`${path}: is larger than ${maxSiteFile} bytes`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`${path}: ${(error as Error).message}`, { cause: error })
  }
}
