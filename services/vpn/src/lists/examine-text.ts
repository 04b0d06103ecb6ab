import { PatternHead } from '../dns/policy/pattern-layout.ts'
import { openBundle } from '../dns/policy/list-bundle.ts'
import type { ListReport } from '../dns/process/messages.ts'
import type { ResolverList } from '../dns/process/resolver-files.ts'
import { startCompile } from './compile.ts'

/** Contents of a list's new text, and the difference to the one before. */
export interface TextFindings {
  readonly report: ListReport
  /** Names and patterns that were not there before, and that are gone. */
  readonly added: number
  readonly removed: number
}

/** The name of a new text until it is found good. */
export const draftId = (id: string): string => `${id}-new`

const listOf = (id: string, number: number, format: ResolverList['format']): ResolverList => ({
  id,
  number,
  format,
  name: id,
  sha256: '',
})

/**
 * Reads a list's draft in a thread of its own, beside the text in force: both are compiled as if they were two lists, and what
 * is in one of them alone was added or removed.
 */
export async function examineDraft(
  directory: string,
  { id, format }: Pick<ResolverList, 'id' | 'format'>,
): Promise<TextFindings> {
  const { memory, reports } = await startCompile([listOf(id, 0, format), listOf(draftId(id), 1, format)], directory)
  const [before, report] = reports
  if (before === undefined || report === undefined) throw new Error('the compiler lost a list')
  const { names, patterns, rules } = openBundle(memory)
  const addresses = new Set(rules.flatMap(({ target }) => (target.kind === 'address' ? [target.address] : [])))
  const all = names + (patterns[PatternHead.patterns] ?? 0) + addresses.size
  return {
    report,
    added: Math.max(0, all - before.entries),
    removed: Math.max(0, all - report.entries),
  }
}

/** Reads the text in force as another format than before, and reports its contents. */
export async function examineText(directory: string, list: Pick<ResolverList, 'id' | 'format'>): Promise<ListReport> {
  const { reports } = await startCompile([listOf(list.id, 0, list.format)], directory)
  const [report] = reports
  if (report === undefined) throw new Error('the compiler lost a list')
  return report
}
