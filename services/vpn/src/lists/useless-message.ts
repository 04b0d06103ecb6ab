import type { ListReport } from '../dns/process/messages.ts'

/** Number of reasons and lines that are named. */
const maxReasons = 3
const maxExamples = 2

/** Says why a text is of no use as a list: how many lines of which kind, and some of them. */
export function uselessMessage({ unsupported, examples, comments }: ListReport): string {
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
