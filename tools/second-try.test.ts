import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { runTests } from './run-tests.ts'
import { tryAgain } from './second-try.ts'
import type { TestLine } from './test-report.ts'

const namesOf = (tests: readonly TestLine[]) => tests.map(({ name, result }) => `${result}: ${name}`).sort()

/** Runs test files that count their runs in a file beside them, and then the failed ones again. */
async function runTwice(files: Record<string, string>) {
  await using folder = await temporaryDirectory()
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(folder.path, `${name}.test.ts`)
    const runs = JSON.stringify(`${path}.runs`)
    writeFileSync(
      path,
      `import { appendFileSync, readFileSync } from 'node:fs'
       import { test } from 'node:test'
       appendFileSync(${runs}, '.')
       const runs = readFileSync(${runs}).length
       ${text}`,
    )
    return path
  })
  const { signal } = new AbortController()
  const { passed, tests, failures } = await runTests(paths, { signal, concurrency: 2 })
  const again = await tryAgain({ passed, tests, output: failures }, signal)
  return again && { ...again, names: namesOf(again.tests), firstNames: namesOf(tests) }
}

const good = `test('holds', () => {})`
const racing = `test('races', () => { if (runs === 1) throw new Error('too late') }); test('beside it', () => {})`
const wrong = `test('is wrong', () => { throw new Error('always') })`

test('a test that passes alone lost a race, and is named', async () => {
  const again = await runTwice({ good, racing })
  assert.equal(again?.passed, true)
  assert.deepEqual(again?.names, ['passed: beside it', 'passed: holds', 'passed: races'])
  assert.match(again?.lostRaces.join() ?? '', /^races \(.*racing\.test\.ts\)$/)
})

test('a test that fails again has failed', async () => {
  const again = await runTwice({ good, racing, wrong })
  assert.equal(again?.passed, false)
  assert.deepEqual(again?.names, ['failed: is wrong', 'passed: beside it', 'passed: holds', 'passed: races'])
  assert.match(again?.output ?? '', /is wrong[^]*always/)
  assert.equal(again?.lostRaces.length, 1)
})

test('a property tries the same values again', async () => {
  const property = `
    const { sample, integer } = (await import(${JSON.stringify(import.meta.resolve('fast-check'))})).default
    const values = sample(integer(), 5).join()
    test('tries ' + values, () => { throw new Error('a counterexample') })`
  const again = await runTwice({ property })
  assert.deepEqual(again?.lostRaces, [])
  assert.match(again?.names.join() ?? '', /^failed: tries -?\d+/)
  assert.deepEqual(again?.names, again?.firstNames)
})

test('nothing runs again when all passed, or when more failed than chance explains', async () => {
  assert.equal(await runTwice({ good }), undefined)
  const six = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`racing-${index}`, racing]))
  assert.equal(await runTwice(six), undefined)
})
