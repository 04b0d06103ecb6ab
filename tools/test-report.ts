import type { TestEvent } from 'node:test/reporters'

/** One finished test. */
export interface TestLine {
  readonly name: string
  /** Test file as it was asked for. */
  readonly file: string
  readonly result: 'passed' | 'failed' | 'skipped'
  readonly milliseconds: number
  /** Why it was skipped, or how it failed. */
  readonly reason: string
}

/** What a test process says: that a file begins, a test ended, the processor time that the file took, that it ended. */
export type Report =
  | { readonly kind: 'begin'; readonly file: string }
  | { readonly kind: 'test'; readonly test: TestLine }
  | { readonly kind: 'cost'; readonly file: string; readonly processorTime: number }
  | { readonly kind: 'end'; readonly file: string; readonly milliseconds: number }

/** Line of a test process: a report, or text that a test wrote. */
export type ReportLine = Report | { readonly kind: 'output'; readonly text: string }

/** First character of a report (RFC 7464): JSON that a test writes is no report. */
const mark = '\u001E'

/** Reads what a test process wrote to stdout. */
export function readReport(text: string): ReportLine[] {
  return text.split(new RegExp(`(?=${mark})|(?<=\n)`)).flatMap((line): ReportLine[] => {
    if (line.trim() === '') return []
    return line.startsWith(mark) ? [JSON.parse(line.slice(1)) as Report] : [{ kind: 'output', text: line }]
  })
}

/** Says that a file begins: what is written from here on is its own. */
export function reportBegin(file: string): void {
  process.stdout.write(write({ kind: 'begin', file }))
}

/** Says how much processor time a file took, milliseconds. */
export function reportCost(file: string, time: number): void {
  process.stdout.write(write({ kind: 'cost', file, processorTime: time }))
}

const write = (report: Report) => `${mark}${JSON.stringify(report)}\n`

/** A reporter of Node's test runner for a test process, in which each test at the top is a file. */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let file = ''
  let isEmpty = true
  for await (const event of source) {
    if (event.type === 'test:start' && event.data.nesting === 0) {
      file = event.data.name
      isEmpty = true
    }
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const test = testOf(event, file)
    if (test !== undefined) {
      isEmpty = false
      yield write({ kind: 'test', test })
    }
    if (event.data.nesting > 0) continue
    const { duration_ms: milliseconds } = event.data.details
    const reason = 'there is no test in this file'
    if (isEmpty) yield write({ kind: 'test', test: { name: file, file, result: 'failed', milliseconds, reason } })
    yield write({ kind: 'end', file, milliseconds })
  }
}

type Finished = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>

/** The test of an event; nothing for one that only holds others: a suite or a file. */
function testOf({ type, data }: Finished, file: string): TestLine | undefined {
  const { name, nesting, skip, todo, details } = data
  const holdsOthers = nesting === 0 || (details.type as string | undefined) === 'suite'
  const milliseconds = details.duration_ms
  const isSkipped = skip !== undefined || todo !== undefined
  if (type === 'test:fail' && todo === undefined) {
    if (holdsOthers && isAboutSubtests(details)) return undefined
    return { name, file, result: 'failed', milliseconds, reason: failureOf(details) }
  }
  // A suite that is skipped as a whole stands for the tests in it, which are not reported.
  if (holdsOthers && !isSkipped) return undefined
  const reason = [skip, todo].find((given) => typeof given === 'string') ?? ''
  return { name, file, result: isSkipped ? 'skipped' : 'passed', milliseconds, reason }
}

/** Returns true for a failure that only repeats that of a test inside. */
function isAboutSubtests(details: object): boolean {
  return (details as { error?: { failureType?: string } }).error?.failureType === 'subtestsFailed'
}

function failureOf(details: object): string {
  const { error } = details as { error?: Error & { cause?: unknown } }
  const cause = error?.cause instanceof Error ? error.cause : error
  return cause?.stack ?? error?.message ?? 'unknown failure'
}
