import { runTests } from './run-tests.ts'
import type { StepResult } from './check-steps.ts'

/** Number of files that may fail by chance; more have a common cause. */
const maxFiles = 5

/** Result of a run of tests whose failed files ran once more. */
export interface SecondTry extends StepResult {
  /** The tests that passed the second time, with their files. */
  readonly lostRaces: readonly string[]
}

/**
 * Runs the failed files of a run once more, one at a time, when nothing else runs. A test that passes then lost a race against a
 * busy machine: that is a defect of the test, which is named, and no reason to refuse the change. Returns undefined when this can
 * say nothing: too many files failed, or something failed that is no test.
 */
export async function tryAgain(first: StepResult, signal: AbortSignal): Promise<SecondTry | undefined> {
  const failed = first.tests.filter(({ result }) => result === 'failed')
  const files = [...new Set(failed.map(({ file }) => file))]
  if (first.passed || files.length === 0 || files.length > maxFiles) return undefined
  const { passed, tests, failures } = await runTests(files, { signal, concurrency: 1 })
  const stillFailed = new Set(tests.filter(({ result }) => result === 'failed').map(({ file }) => file))
  const lostRaces = failed.filter(({ file }) => !stillFailed.has(file)).map(({ name, file }) => `${name} (${file})`)
  const others = first.tests.filter(({ file }) => !files.includes(file))
  return { passed, output: failures, tests: [...others, ...tests], lostRaces }
}
