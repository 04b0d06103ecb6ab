import type { TestEvent } from 'node:test/reporters'

/** One finished test, as a line of JSON between the runner and whoever reads it. */
export interface TestLine {
  readonly name: string
  readonly file: string
  readonly result: 'passed' | 'failed' | 'skipped'
  readonly milliseconds: number
  /** Why it was skipped, or how it failed. */
  readonly reason: string
}

/** A reporter for `node --test`: a `TestLine` for each test, nothing else. */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const line = lineOf(event)
    if (line !== undefined) yield `${JSON.stringify(line)}\n`
  }
}

type Finished = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>

function lineOf({ type, data }: Finished): TestLine | undefined {
  const { name, file = '', skip, todo, details } = data
  // A file that passes is no test of its own; one that fails without a failed test in it did not even load.
  const isFile = name === file || (details.type as string) === 'suite'
  if (isFile && type === 'test:pass') return undefined
  const isSkipped = skip !== undefined || todo !== undefined
  const result = type === 'test:fail' && todo === undefined ? 'failed' : isSkipped ? 'skipped' : 'passed'
  const reason = result === 'failed' ? failureOf(details) : typeof skip === 'string' ? skip : ''
  return { name, file, result, milliseconds: details.duration_ms, reason }
}

function failureOf(details: object): string {
  const { error } = details as { error?: Error & { cause?: unknown } }
  const cause = error?.cause instanceof Error ? error.cause : error
  return cause?.stack ?? error?.message ?? 'unknown failure'
}
