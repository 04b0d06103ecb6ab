import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from './services.ts'
import { describeFailure, runTests, testFiles } from './run-tests.ts'
import type { TestLine } from './test-report.ts'

/** How a step ended. */
export interface StepResult {
  readonly passed: boolean
  /** Shown when it failed. */
  readonly output: string
  readonly tests: readonly TestLine[]
}

/** One part of `npm test`. */
export interface Step {
  readonly name: string
  readonly run: () => Promise<StepResult>
}

const bin = (name: string) => join(root, 'node_modules/.bin', name)

function command(name: string, words: readonly string[]): Step {
  return {
    name,
    run: () =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
        let output = ''
        const take = (text: string) => (output += text)
        child.stdout.setEncoding('utf8').on('data', take)
        child.stderr.setEncoding('utf8').on('data', take)
        child.on('error', (error) => resolve({ passed: false, output: error.message, tests: [] }))
        child.on('close', (code) => resolve({ passed: code === 0, output, tests: [] }))
      }),
  }
}

function tests(
  name: string,
  patterns: readonly string[],
  options: { without?: RegExp; concurrency?: number } = {},
): Step {
  return {
    name,
    async run() {
      const files = testFiles(patterns).filter((file) => options.without?.test(file) !== true)
      if (files.length === 0) return { passed: true, output: '', tests: [] }
      const run = await runTests(files, options.concurrency)
      const failures = run.lines.filter((line) => line.result === 'failed').map(describeFailure)
      return { passed: run.passed, output: [...failures, run.output].join('\n'), tests: run.lines }
    },
  }
}

/** The checks that read the sources; they run beside the unit tests. */
export const sourceSteps: readonly Step[] = [
  command('format', [bin('oxfmt'), '--check', '.']),
  command('lint', [bin('oxlint'), '--type-aware', '.']),
  command('types', [bin('tsc'), '-b']),
  command('lockfile', [join(root, 'tools/check-lockfile.ts')]),
  command('generated', [join(root, 'tools/generate.ts'), '--check']),
  command('pages', [join(root, 'tools/build-ui.ts')]),
]

export const unitStep = tests('unit tests', [
  'kits/*/src/**/*.test.ts',
  'services/*/src/**/*.test.ts',
  'services/*/ui/src/**/*.test.ts',
  'cli/**/*.test.ts',
  'tools/**/*.test.ts',
])

/** The tests of whole services, real processes and networks; they have the machine to themselves. */
export const serviceSteps: readonly Step[] = [
  tests('service tests', ['services/*/test/**/*.test.ts'], { without: /\.browser\.test\.ts$/ }),
  tests('browser tests', ['services/*/test/**/*.browser.test.ts'], { concurrency: 1 }),
]

/** A step for the test files whose path contains a word, for `npm test -- peers`. */
export function stepFor(word: string): Step {
  const all = ['kits/**/*.test.ts', 'services/**/*.test.ts', 'cli/**/*.test.ts', 'tools/**/*.test.ts']
  return tests(`tests matching ${word}`, all, { without: new RegExp(`^(?!.*${RegExp.escape(word)})`) })
}
