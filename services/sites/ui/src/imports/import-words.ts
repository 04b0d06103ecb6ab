import type { Tone } from '@hearth/ui'
import type { ImportAnswer, ImportedSite, ReportItem } from '../api.ts'

interface Word {
  readonly tone: Tone
  readonly text: string
}

/** Badge of an imported site, by outcome. */
export const siteWords: Readonly<Record<ImportedSite['status'], Word>> = {
  new: { tone: 'accent', text: 'Can be imported' },
  created: { tone: 'good', text: 'Imported' },
  failed: { tone: 'bad', text: 'Failed' },
  conflicting: { tone: 'warn', text: 'Domain is taken' },
  invalid: { tone: 'bad', text: 'Cannot be a site' },
}

/** Treatment of a part that cannot be imported as it is. */
export const outcomeWords: Readonly<Record<ReportItem['outcome'], Word>> = {
  changed: { tone: 'accent', text: 'Behaves differently' },
  lost: { tone: 'warn', text: 'Goes without' },
  left_out: { tone: 'bad', text: 'Left out' },
  raw: { tone: 'quiet', text: 'Kept as directives' },
}

/** One sentence about the whole. */
export function summary({ dry_run: isDryRun, counts }: Pick<ImportAnswer, 'dry_run' | 'counts'>): string {
  if (counts.found === 0) return 'There are no sites in it.'
  const done = isDryRun ? counts.new : counts.created
  const word = isDryRun ? 'can be imported' : `${done === 1 ? 'was' : 'were'} imported`
  const others = [
    count(counts.failed, 'failed'),
    count(counts.conflicting, 'with a domain of another site'),
    count(counts.invalid, 'that cannot be'),
  ].filter((part) => part !== undefined)
  const rest = others.length === 0 ? '' : `; ${others.join(', ')}`
  return `${done} of ${counts.found} ${counts.found === 1 ? 'site' : 'sites'} ${word}${rest}.`
}

const count = (number: number, what: string): string | undefined => (number === 0 ? undefined : `${number} ${what}`)
