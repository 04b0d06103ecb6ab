import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unpackedPackage } from '@hearth/testing/unpacked-package'
import { writeApiTypes } from './api-types.ts'
import { buildPages } from './build-ui.ts'
import { isBrowserTest, lanes, sourceSteps, stepFor, testRuns, type Step, type StepResult } from './check-steps.ts'
import { checkPackages, findServices, root } from '../cli/services.ts'
import { tryAgain } from './second-try.ts'
import { processorTimeLines } from './processor-time.ts'
import { providePackages } from '../cli/system-packages.ts'
import { unpackPackages } from './unpack-packages.ts'

type Finished = StepResult & { readonly step: Step; readonly seconds: number }

/**
 * `npm test`: every check there is. `npm test -- lint` runs the step of that name, `npm test -- peers` the test files with
 * that word in their path. Ends with the counts of the tests alone on a line. Returns whether all is well; a run in which
 * tests were asked for and none was found is not.
 */
async function check(args: readonly string[], signal: AbortSignal): Promise<boolean> {
  const finished: Finished[] = []
  const run = async (step: Step) => {
    if (signal.aborted) return
    const begin = performance.now()
    const result = await step.run(signal)
    finished.push({ ...result, step, seconds: (performance.now() - begin) / 1000 })
    announce(finished.at(-1) as Finished)
  }
  const runAll = async (steps: Step[]) => {
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) await run(step)
  }
  writeApiTypes()
  const chosen = args.map(stepFor)
  if (chosen.length === 0 || chosen.some(({ files }) => files !== undefined)) provide()
  if (chosen.length > 0) {
    buildPagesFor(chosen)
    await runAll(chosen)
  } else {
    const sources = [...sourceSteps]
    await Promise.all(Array.from({ length: lanes }, () => runAll(sources)))
    await Promise.all(testRuns.map((step) => run(step)))
    await runFailedAgain(finished, signal)
  }
  return conclude(finished, signal)
}

/** Replaces the results of test runs whose failed files passed, or failed again, when they ran alone. */
async function runFailedAgain(finished: Finished[], signal: AbortSignal): Promise<void> {
  for (const [index, first] of finished.entries()) {
    const again = signal.aborted || first.step.files === undefined ? undefined : await tryAgain(first, signal)
    if (again === undefined) continue
    finished[index] = { ...first, ...again }
    for (const lost of again.lostRaces) process.stdout.write(`lost a race, passed alone: ${lost}\n`)
    if (!again.passed) process.stdout.write(`✖ ${first.step.name}, failed again\n${again.output.trimEnd()}\n`)
  }
}

function provide(): void {
  const services = findServices()
  const lists = services.flatMap(({ systemPackages, testPackages }) => [systemPackages, testPackages])
  providePackages(Object.assign({}, ...lists, checkPackages()))
  unpackPackages(Object.assign({}, ...services.map((service) => service.unpackedTestPackages)), unpackedPackage)
}

/** Builds the pages that the browser tests of these steps drive, those of other services that they name too, where their sources changed. */
function buildPagesFor(steps: readonly Step[]): void {
  const files = steps.flatMap((step) => step.files ?? []).filter(isBrowserTest)
  const texts = files.map((file) => `${file} ${readFileSync(join(root, file), 'utf8')}`)
  const isDriven = ({ name }: { readonly name: string }) =>
    texts.some((text) => text.startsWith(`services/${name}/`) || text.includes(`'${name}'`))
  buildPages(findServices().filter(isDriven))
}

function announce({ step, passed, seconds, tests, output }: Finished): void {
  const counted = step.files === undefined ? '' : `, ${countOf(tests, 'passed')} passed`
  process.stdout.write(`${passed ? '✔' : '✖'} ${step.name} (${seconds.toFixed(1)} s${counted})\n`)
  if (!passed) process.stdout.write(`${output.trimEnd()}\n`)
  for (const { name, file, reason } of tests.filter(({ result }) => result === 'skipped')) {
    process.stdout.write(`  skipped: ${name} (${file}): ${reason || 'no reason given'}\n`)
  }
}

function countOf(tests: StepResult['tests'], result: string): number {
  return tests.filter((test) => test.result === result).length
}

function conclude(finished: readonly Finished[], signal: AbortSignal): boolean {
  const tests = finished.flatMap((result) => result.tests)
  const failed = finished.filter(({ passed }) => !passed).map(({ step }) => step.name)
  const isEmpty = finished.some(({ step }) => step.files !== undefined) && tests.length === 0
  for (const line of whereTheTimeGoes(finished)) process.stdout.write(`${line}\n`)
  if (isEmpty) process.stdout.write('no test was found\n')
  if (failed.length > 0) process.stdout.write(`failed steps: ${failed.join(', ')}\n`)
  if (signal.aborted) process.stdout.write('interrupted\n')
  const counts = (['passed', 'failed', 'skipped'] as const).map((result) => `${countOf(tests, result)} ${result}`)
  process.stdout.write(`${counts.join(', ')}\n`)
  return failed.length === 0 && !isEmpty && !signal.aborted
}

function whereTheTimeGoes(finished: readonly Finished[]): string[] {
  const tests = finished.flatMap((result) => result.tests)
  const slowest = tests.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 8)
  if (slowest.length === 0) return []
  const steps = finished.toSorted((a, b) => b.seconds - a.seconds).slice(0, 4)
  const processorTimes = new Map(finished.flatMap((result) => [...(result.processorTimes ?? [])]))
  return [
    `where the time goes: ${steps.map(({ step, seconds }) => `${step.name} ${seconds.toFixed(1)} s`).join(', ')}`,
    ...processorTimeLines(processorTimes),
    ...slowest.map(
      ({ milliseconds, name, file }) => `  ${(milliseconds / 1000).toFixed(1).padStart(6)} s  ${name} (${file})`,
    ),
  ]
}

const interruption = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interruption.abort())
process.exit((await check(process.argv.slice(2), interruption.signal)) ? 0 : 1)
