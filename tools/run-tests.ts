import { globSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { runProgram, type Ended } from './run-program.ts'
import { root } from '../cli/services.ts'
import { groupTestFiles } from './test-groups.ts'
import { readReport, type ReportLine, type TestLine } from './test-report.ts'
import { keepTestTimes, readTestTimes } from './test-times.ts'

/** Result of a run of tests. */
export interface TestRun {
  readonly passed: boolean
  readonly tests: readonly TestLine[]
  /** Failed tests with their errors, and what their files wrote; empty when all passed. */
  readonly failures: string
  /** Processor time of each file, milliseconds. */
  readonly processorTimes: ReadonlyMap<string, number>
}

/** Limits of a run, milliseconds. */
interface Limits {
  /** The whole run: a build machine may be three times slower than a desk. */
  readonly run: number
  /** One file, more than any takes on a busy machine. */
  readonly file: number
  /** The end of a process after its last test. */
  readonly close: number
}

const usualLimits: Limits = { run: 80 * 60_000, file: 10 * 60_000, close: 60_000 }

const program = join(root, 'tools/test-process.ts')
const reporter = ['--test-reporter', join(root, 'tools/test-report.ts'), '--test-reporter-destination=stdout']

/**
 * Seed of everything random in this run, so that a second try tries the same. On the build machine it is always the same: what
 * comes out there depends on the change alone.
 */
const seed = process.env['TEST_SEED'] ?? (process.env['CI'] === 'true' ? '20261121' : String(randomInt(2 ** 31)))

/** Compiled code of test processes, shared with the services' processes: a start takes half the time. */
const compileCache = join(root, 'node_modules/.cache/hearth')

/** Times of test files on this machine. */
const timesFile = join(root, 'node_modules/.cache/hearth-test-times.json')

/** Runs test files, so many processes at a time. A run without an end, or with a file without a test, has failed. */
export async function runTests(
  files: readonly string[],
  options: { signal: AbortSignal; concurrency: number; limits?: Partial<Limits> },
): Promise<TestRun> {
  const limits = { ...usualLimits, ...options.limits }
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(limits.run)])
  const waiting = groupTestFiles(files, readTestTimes(timesFile))
  const runs: ProcessRun[] = []
  const runWaiting = async () => {
    for (let group = waiting.shift(); group !== undefined && !signal.aborted; group = waiting.shift())
      runs.push(await runProcess(group, limits, signal))
  }
  await Promise.all(Array.from({ length: options.concurrency }, runWaiting))
  const passed = !signal.aborted && runs.every((run) => run.passed)
  const times = runs.flatMap(({ lines }) => lines.flatMap((line) => (line.kind === 'end' ? [line] : [])))
  if (passed) keepTestTimes(timesFile, Object.fromEntries(times.map((end) => [end.file, Math.round(end.milliseconds)])))
  const ended = new Set(runs.flatMap((run) => (run.wasStopped ? [] : run.files)))
  const unfinished = files.filter((file) => !ended.has(file))
  const ending = signal.aborted ? [`the run was stopped; files that did not end: ${unfinished.join(', ')}`] : []
  return {
    passed,
    tests: runs.flatMap(({ tests }) => tests),
    processorTimes: sumOfCosts(runs),
    failures: [...runs.flatMap((run) => (run.passed ? [] : describe(run))), ...ending].join('\n'),
  }
}

/** Result of the test files that shared a process. */
interface ProcessRun {
  readonly files: readonly string[]
  readonly wasStopped: boolean
  readonly passed: boolean
  readonly tests: readonly TestLine[]
  readonly lines: readonly ReportLine[]
  readonly stderr: string
}

async function runProcess(files: readonly string[], limits: Limits, signal: AbortSignal): Promise<ProcessRun> {
  const env = {
    ...process.env,
    TEST_SEED: seed,
    NODE_TEST_CONTEXT: undefined,
    NODE_COMPILE_CACHE: compileCache,
    FORCE_COLOR: '0',
  }
  const args = [...reporter, program, String(limits.file), String(limits.close), ...files]
  const ended = await runProgram(process.execPath, args, { signal, env })
  const lines = readReport(ended.stdout)
  const tests = [
    ...lines.flatMap((line) => (line.kind === 'test' ? [line.test] : [])),
    ...notEnded(files, lines, ended),
  ]
  const passed = ended.code === 0 && tests.every(({ result }) => result !== 'failed')
  return { files, wasStopped: ended.code === null, passed, tests, lines, stderr: ended.stderr }
}

/** A failed test for each file that the process did not end; what it had not yet reported of the files before is lost too. */
function notEnded(files: readonly string[], lines: readonly ReportLine[], { code }: Ended): TestLine[] {
  const ended = new Set(lines.flatMap((line) => (line.kind === 'end' ? [line.file] : [])))
  const last = lines.findLast((line) => line.kind === 'begin')?.file ?? 'the start'
  const reason = `the process ended ${code === null ? 'by a signal' : `with exit code ${code}`} during ${last}`
  return files
    .filter((name) => !ended.has(name))
    .map((name) => ({ name, file: name, result: 'failed', milliseconds: 0, reason }))
}

/** Test files of the patterns, each once, sorted; relative to the root. */
export function testFiles(patterns: readonly string[]): string[] {
  return [...new Set(globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] }))].sort()
}

function describe({ tests, lines, stderr }: ProcessRun): string[] {
  const failed = tests.filter(({ result }) => result === 'failed')
  const texts = failed.map(({ name, file, reason }) => `✖ ${name} (${file})\n${indent(reason)}`)
  const written = outputs(lines)
  for (const file of new Set(failed.map((test) => test.file))) {
    const text = written.get(file)
    if (text !== undefined) texts.push(`what ${file} wrote:\n${indent(text)}`)
  }
  return stderr === '' ? texts : [...texts, stderr]
}

const indent = (text: string) => text.trimEnd().replaceAll(/^/gm, '    ')

function sumOfCosts(runs: readonly ProcessRun[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { lines } of runs)
    for (const line of lines)
      if (line.kind === 'cost') sums.set(line.file, (sums.get(line.file) ?? 0) + line.processorTime)
  return sums
}

/** What each file wrote to stdout. */
function outputs(lines: readonly ReportLine[]): Map<string, string> {
  const texts = new Map<string, string>()
  let file = ''
  for (const line of lines) {
    if (line.kind === 'begin') file = line.file
    if (line.kind === 'output') texts.set(file, (texts.get(file) ?? '') + line.text)
  }
  return texts
}
