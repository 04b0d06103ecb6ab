import { globSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { runProgram } from './run-program.ts'
import { root } from '../cli/services.ts'
import type { ReportLine, TestLine } from './test-report.ts'
import { keepTestTimes, longestFirst, readTestTimes, type TestTimes } from './test-times.ts'

/** Result of a run of tests. */
export interface TestRun {
  readonly passed: boolean
  readonly tests: readonly TestLine[]
  /** Failed tests with their errors, and what their files wrote; empty when all passed. */
  readonly failures: string
}

const runner = join(root, 'tools/run-test-files.ts')

/** Compiled code of test processes, shared with the services' processes: a start takes half the time. */
const compileCache = join(root, 'node_modules/.cache/hearth')

/** Times of test files on this machine. */
const timesFile = join(root, 'node_modules/.cache/hearth-test-times.json')

/** Longest duration of a whole run, milliseconds: a test file that something keeps open would never end. */
const longestRun = 40 * 60_000

/** Longest duration of one file, milliseconds: more than any takes on a busy machine. */
const longestFile = 7 * 60_000

/** Runs test files, the longest first, each in a process of its own. A run without an end, or with a file without a test, has failed. */
export async function runTests(
  files: readonly string[],
  options: { signal: AbortSignal; concurrency: number; limit?: number; fileLimit?: number },
): Promise<TestRun> {
  const args = [runner, String(options.concurrency), ...longestFirst(files, readTestTimes(timesFile))]
  // Without this variable a run inside a test would report to the outer run.
  const env = {
    ...process.env,
    NODE_TEST_CONTEXT: undefined,
    NODE_COMPILE_CACHE: compileCache,
    FORCE_COLOR: '0',
    TEST_FILE_LIMIT: String(options.fileLimit ?? longestFile),
  }
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.limit ?? longestRun)])
  const { code, stdout, stderr } = await runProgram(process.execPath, args, { signal, env })
  const lines = stdout.split('\n').flatMap(parse)
  const tests = lines.flatMap((line) => (line.kind === 'test' ? [line.test] : []))
  const ended = new Set(lines.flatMap((line) => (line.kind === 'end' ? [line.file] : [])))
  // A signal may reach a test file before the run, which then says that it ended.
  const hasEnded = ended.has(undefined) && !signal.aborted
  const passed = code === 0 && hasEnded && tests.every(({ result }) => result !== 'failed')
  const unfinished = files.filter((file) => !ended.has(resolve(root, file)))
  const ending = hasEnded ? stderr : `${stderr}the run broke off; files that did not end: ${unfinished.join(', ')}`
  if (passed) keepTestTimes(timesFile, timesOf(lines))
  return { passed, tests, failures: passed ? '' : describe(lines, ending) }
}

function timesOf(lines: readonly ReportLine[]): TestTimes {
  const ends = lines.flatMap((line) => (line.kind === 'end' && line.file?.startsWith(`${root}/`) ? [line] : []))
  return Object.fromEntries(ends.map(({ file = '', milliseconds }) => [relative(root, file), Math.round(milliseconds)]))
}

/** Test files of the patterns, each once, sorted; relative to the root. */
export function testFiles(patterns: readonly string[]): string[] {
  return [...new Set(globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] }))].sort()
}

function parse(line: string): ReportLine[] {
  try {
    return [JSON.parse(line) as ReportLine]
  } catch {
    return line === '' ? [] : [{ kind: 'output', file: '', text: `${line}\n` }]
  }
}

function describe(lines: readonly ReportLine[], ending: string): string {
  const failed = lines.flatMap((line) => (line.kind === 'test' && line.test.result === 'failed' ? [line.test] : []))
  const texts = failed.map(
    ({ name, file, reason }) => `✖ ${name} (${relative(root, file)})\n${reason.replaceAll(/^/gm, '    ')}`,
  )
  for (const file of new Set(failed.map((test) => test.file))) {
    const written = lines.flatMap((line) => (line.kind === 'output' && line.file === file ? [line.text] : [])).join('')
    if (written !== '') texts.push(`what ${relative(root, file)} wrote:\n${written.replaceAll(/^/gm, '    ')}`)
  }
  return [...texts, ending].join('\n')
}
