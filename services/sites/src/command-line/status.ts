import { wantedOfRow } from '../sites/site-change.ts'
import { allSiteRows } from '../sites/store.ts'
import { sharesOf, shownDays } from '../uptime/day-views.ts'
import { dayOf } from '../uptime/pending-results.ts'
import type { CheckFailure } from '../uptime/schema.ts'
import { siteSubject } from '../uptime/site-targets.ts'
import { allSubjects, daysOf } from '../uptime/store.ts'
import { withStorage } from './data.ts'
import { cellsLine } from './terminal-line.ts'

/** A site as `hearth sites status` prints it. */
interface StatusLine {
  readonly id: number
  readonly site_name: string
  readonly state: string
  readonly since: string | null
  readonly checked_at: string | null
  /** Share of the observed time of 30 days; null when nothing was observed. */
  readonly uptime_30_days: number | null
  readonly failure: CheckFailure | null
}

/** Prints a line for each site: number, name, state, since when, uptime of 30 days, and what the last check got when it failed. */
export async function printStatus({ json = false }: { json?: boolean }): Promise<void> {
  await withStorage(async ({ database }) => {
    const rows = await allSiteRows(database.query)
    const subjects = new Map((await allSubjects(database.query)).map((row) => [row.subject, row]))
    const today = dayOf(Date.now())
    const names = rows.map(({ id }) => siteSubject(id))
    const days = Map.groupBy(await daysOf(database.query, names, today - shownDays), ({ subject }) => subject)
    const lines = rows.map((row): StatusLine => {
      const subject = subjects.get(siteSubject(row.id))
      const { record } = wantedOfRow(row)
      const isChecked = record.enabled && record.check.enabled
      return {
        id: row.id,
        site_name: row.name,
        state: isChecked ? (subject?.state ?? 'unknown') : 'off',
        since: isoOf(isChecked ? subject?.since : null),
        checked_at: isoOf(subject?.checked_at),
        uptime_30_days: sharesOf(days.get(siteSubject(row.id)) ?? [], today).days_30,
        failure: isChecked && subject?.failure ? (JSON.parse(subject.failure) as CheckFailure) : null,
      }
    })
    process.stdout.write(json ? `${JSON.stringify(lines, null, 2)}\n` : lines.map(textOf).join(''))
  })
}

const isoOf = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : new Date(at).toISOString()

function textOf({ id, site_name: name, state, since, uptime_30_days: share, failure }: StatusLine): string {
  const percent = share === null ? '-' : `${(Math.floor(share * 10_000) / 100).toFixed(2)}%`
  const cells = [id, name, state, since ?? '-', percent, failure?.came_back ?? '']
  return `${cellsLine(cells).trimEnd()}\n`
}
