import type { Problem } from '../problems.ts'
import type { ApplyReport, PlannedChange } from './schema.ts'

/** Entries that stay and are named. */
const maxStrangers = 20

/** A report for a terminal: a line for each change, and what stays. */
export function describeReport(report: ApplyReport): string {
  const { changes, created, changed, deleted, not_in_file: strangers } = report
  const more = created + changed + deleted - changes.length
  const lines = [
    ...changes.map(changeLine),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...strangers.slice(0, maxStrangers).map(({ noun, name }) => `stays, not in the file: ${noun} ${name}`),
    ...(strangers.length > maxStrangers ? [`and ${strangers.length - maxStrangers} more stay`] : []),
    created + changed + deleted === 0
      ? 'nothing to do'
      : `${created} to create, ${changed} to change, ${deleted} to delete`,
  ]
  return `${lines.join('\n')}\n`
}

function changeLine({ action, noun, name, renamed_from: before, members }: PlannedChange): string {
  const sign = { create: '+', change: '~', delete: '-' }[action]
  const details = [
    ...(before === null ? [] : [`renamed from ${before}`]),
    ...members.map(({ member, from, to }) =>
      from === null && to === null ? `${member} changes` : `${member}: ${from ?? 'none'} → ${to ?? 'none'}`,
    ),
  ]
  return `${sign} ${noun} ${name}${details.length === 0 ? '' : `: ${details.join('; ')}`}`
}

interface Field {
  readonly line?: number
  readonly path: string
  readonly message: string
}

/** What is wrong with a file, one line for each problem, as compilers write it; and what was done before it, and what was not. */
export function faultLines(file: string, problem: Problem, hasLines = true): string {
  const fields = (problem.details?.['fields'] ?? []) as readonly Field[]
  const [done, left] = (['done', 'not_done'] as const).map(
    (name) => (problem.details?.[name] ?? []) as readonly PlannedChange[],
  )
  const lines = fields
    .filter(({ line }) => line !== undefined)
    .map(
      ({ line, path, message }) => `${file}${hasLines ? `:${line}` : ''}: ${path === '' ? '' : `${path} `}${message}`,
    )
  const all = lines.length === 0 ? [`${file}: ${problem.message}`] : lines
  return [
    ...all,
    ...(done ?? []).map((change) => `was done: ${changeLine(change)}`),
    ...(left ?? []).map((change) => `was not done: ${changeLine(change)}`),
    ...(done === undefined || done.length === 0 ? [] : ['apply again to finish']),
  ].join('\n')
}
