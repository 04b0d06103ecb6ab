import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { runProgram } from './run-program.ts'
import { runTests, testFiles } from './run-tests.ts'
import { root } from '../cli/services.ts'
import type { TestLine } from './test-report.ts'

/** The end of a step. */
export interface StepResult {
  readonly passed: boolean
  /** Shown when it failed. */
  readonly output: string
  readonly tests: readonly TestLine[]
  /** Processor time of each test file, milliseconds. */
  readonly processorTimes?: ReadonlyMap<string, number>
}

/** One part of `npm test`; the signal ends it early. */
export interface Step {
  readonly name: string
  /** Test files it would run; absent for a step that is no test run. */
  readonly files?: readonly string[]
  run(signal: AbortSignal): Promise<StepResult>
}

/** Steps that need the processor run at most this many at a time. */
export const lanes = Math.max(2, availableParallelism())

const bin = (name: string) => join(root, 'node_modules/.bin', name)

function program(name: string, args: readonly string[]): Step {
  return {
    name,
    async run(signal) {
      const { code, stdout, stderr } = await runProgram(process.execPath, args, { signal })
      return { passed: code === 0, output: stdout + stderr, tests: [] }
    },
  }
}

/** Test processes that run at a time: twice the processors, because tests wait for clocks, devices and processes most of their time. */
const processesAtOnce = lanes * 2

/** A step that runs test files; one without files passes, because a repository may have none of a kind. */
export function testStep(name: string, files: readonly string[], concurrency = processesAtOnce): Step {
  return {
    name,
    files,
    async run(signal) {
      if (files.length === 0) return { passed: true, output: '', tests: [] }
      const { passed, tests, failures, processorTimes } = await runTests(files, { signal, concurrency })
      return { passed, output: failures, tests, processorTimes }
    },
  }
}

/** The checks that read the sources, the longest first. Pages and services are built among them: the tests of whole services run the build. */
export const sourceSteps: readonly Step[] = [
  program('types', [bin('tsc'), '-b']),
  program('lint', [bin('oxlint'), '--type-aware', '.']),
  program('folders', [join(root, 'tools/folder-circles.ts')]),
  program('services', [join(root, 'tools/service-imports.ts')]),
  program('docstrings', [join(root, 'tools/export-docs.ts')]),
  program('sql', [join(root, 'tools/sql-places.ts')]),
  program('build', [join(root, 'tools/build.ts')]),
  program('generated', [join(root, 'tools/generate.ts'), '--check']),
  program('lockfile', [join(root, 'tools/check-lockfile.ts')]),
  program('format', [bin('oxfmt'), '--check', '.']),
]

/** Whether a test file drives web pages, which have to be built. */
export const isBrowserTest = (file: string) => file.endsWith('.browser.test.ts')
const serviceFiles = testFiles(['services/*/test/**/*.test.ts'])

const unitStep = testStep(
  'unit',
  testFiles([
    'kits/*/src/**/*.test.ts',
    'services/*/src/**/*.test.ts',
    'services/*/ui/src/**/*.test.ts',
    'cli/**/*.test.ts',
    'tools/**/*.test.ts',
  ]),
)

const serviceStep = testStep(
  'service',
  serviceFiles.filter((file) => !isBrowserTest(file)),
)

const browserStep = testStep('browser', serviceFiles.filter(isBrowserTest), 1)

/** The test runs by their names. */
export const testSteps: readonly Step[] = [unitStep, serviceStep, browserStep]

/** The test runs that go on side by side. One run takes unit and service tests: no processor waits for the end of a step. */
export const testRuns: readonly Step[] = [
  testStep('unit and service', [...(unitStep.files ?? []), ...(serviceStep.files ?? [])]),
  browserStep,
]

/** The step of that name, or one for the test files with that word in their path, which fails when there are none. */
export function stepFor(word: string): Step {
  const named = [...sourceSteps, ...testSteps].find(({ name }) => name === word)
  if (named !== undefined) return named
  const files = testSteps.flatMap((step) => step.files ?? []).filter((file) => file.includes(word))
  const name = `tests of ${word}`
  if (files.length > 0) return testStep(name, files)
  const steps = [...sourceSteps, ...testSteps].map((step) => step.name).join(', ')
  const output = `no step and no test file has this name; the steps are ${steps}`
  return { name, files, run: () => Promise.resolve({ passed: false, output, tests: [] }) }
}
