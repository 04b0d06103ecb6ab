import type { TestEvent } from 'node:test/reporters'

/** One finished test. */
export interface TestLine {
  readonly name: string
  readonly file: string
  readonly result: 'passed' | 'failed' | 'skipped'
  readonly milliseconds: number
  /** Why it was skipped, or how it failed. */
  readonly reason: string
}

/** Records that the reporter writes, one line of JSON each: tests, what test files wrote, the end of each file and of the run. */
export type ReportLine =
  | { readonly kind: 'test'; readonly test: TestLine }
  | { readonly kind: 'output'; readonly file: string; readonly text: string }
  | { readonly kind: 'end'; readonly file: string | undefined; readonly milliseconds: number }

/** A reporter of test runs whose lines `runTests` reads. */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    const line = lineOf(event)
    if (line !== undefined) yield `${JSON.stringify(line)}\n`
  }
}

function lineOf(event: TestEvent): ReportLine | undefined {
  const { type, data } = event
  if (type === 'test:pass' || type === 'test:fail') {
    const test = testOf(event)
    return test === undefined ? undefined : { kind: 'test', test }
  }
  if (type === 'test:stdout' || type === 'test:stderr') return { kind: 'output', file: data.file, text: data.message }
  if (type === 'test:summary' && data.file === undefined)
    return { kind: 'end', file: undefined, milliseconds: data.duration_ms }
  // A file is a test of the run. What it reports waits for the files before it, its end does not.
  const isFileEnd = type === 'test:complete' && (data as { entryFile?: string }).entryFile === undefined
  return isFileEnd ? { kind: 'end', file: data.file, milliseconds: data.details.duration_ms } : undefined
}

type Finished = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>

function testOf({ type, data }: Finished): TestLine | undefined {
  const { name, skip, todo, details } = data
  const { entryFile } = data as { entryFile?: string }
  // A test that a kit registers counts for the file that has it registered.
  const file = entryFile ?? data.file ?? ''
  const kind = details.type as string | undefined
  const milliseconds = details.duration_ms
  // The runner makes a test of each file. It is reported when the file failed as a whole, or had no test in it: only
  // events that came from inside a file name the file they came through.
  const isWholeFile = entryFile === undefined
  if (isWholeFile && type === 'test:pass')
    return { name, file, result: 'failed', milliseconds, reason: 'there is no test in this file' }
  const isSkipped = skip !== undefined || todo !== undefined
  // A suite that is skipped as a whole stands for the tests in it, which are not reported.
  if (kind === 'suite' && !isSkipped && (type === 'test:pass' || isAboutSubtests(details))) return undefined
  if (type === 'test:fail' && todo === undefined)
    return { name, file, result: 'failed', milliseconds, reason: failureOf(details) }
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
