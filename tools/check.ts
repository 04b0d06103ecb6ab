import { relative } from 'node:path'
import { serviceSteps, sourceSteps, stepFor, unitStep, type Step, type StepResult } from './check-steps.ts'
import { checkPackages, findServices, root } from './services.ts'
import { providePackages } from './system-packages.ts'

/**
 * `npm test`: every check there is. `npm test -- peers` runs the test files with that word in their path, and
 * `npm test -- lint` the step of that name. Ends with the counts alone on a line.
 */
async function check(words: readonly string[]): Promise<boolean> {
  provide()
  const finished = new Map<string, StepResult & { seconds: number }>()
  const run = async (step: Step) => {
    const begin = performance.now()
    const result = await step.run()
    const seconds = (performance.now() - begin) / 1000
    finished.set(step.name, { ...result, seconds })
    announce(step, result, seconds)
  }
  const inTurn = async (steps: readonly Step[]) => {
    for (const step of steps) await run(step)
  }
  if (words.length > 0) await inTurn(words.map(chosen))
  else {
    await Promise.all([inTurn(sourceSteps), run(unitStep)])
    await inTurn(serviceSteps)
  }
  return conclude([...finished.values()])
}

function provide(): void {
  for (const { systemPackages, testPackages } of findServices()) providePackages({ ...systemPackages, ...testPackages })
  providePackages(checkPackages())
}

function chosen(word: string): Step {
  const named = [...sourceSteps, unitStep, ...serviceSteps].find(
    ({ name }) => name === word || name === `${word} tests`,
  )
  return named ?? stepFor(word)
}

function announce(step: Step, result: StepResult, seconds: number): void {
  const counted =
    result.tests.length === 0 ? '' : `, ${result.tests.filter((line) => line.result === 'passed').length} passed`
  process.stdout.write(`${result.passed ? '✔' : '✖'} ${step.name} (${seconds.toFixed(1)} s${counted})\n`)
  if (!result.passed) process.stdout.write(`${result.output.trimEnd()}\n`)
  for (const line of result.tests.filter((test) => test.result === 'skipped')) {
    process.stdout.write(`  skipped: ${line.name}: ${line.reason === '' ? 'no reason given' : line.reason}\n`)
  }
}

function conclude(results: readonly StepResult[]): boolean {
  const tests = results.flatMap((result) => result.tests)
  const count = (result: string) => tests.filter((line) => line.result === result).length
  const slowest = tests.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 8)
  if (slowest.length > 0) process.stdout.write('where the time goes:\n')
  for (const line of slowest) {
    process.stdout.write(
      `  ${(line.milliseconds / 1000).toFixed(1).padStart(6)} s  ${line.name} (${relative(root, line.file)})\n`,
    )
  }
  process.stdout.write(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped\n`)
  return tests.length > 0
    ? results.every((result) => result.passed)
    : results.length > 0 && results.every((result) => result.passed)
}

const isGood = await check(process.argv.slice(2))
process.exit(isGood ? 0 : 1)
