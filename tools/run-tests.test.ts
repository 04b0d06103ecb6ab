import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { stepFor } from './check-steps.ts'
import { runTests, type TestRun } from './run-tests.ts'

type Limits = NonNullable<Parameters<typeof runTests>[1]['limits']>

async function run(files: Record<string, string>, limits: Limits = {}): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-run-tests-'))
  try {
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(folder, name), `import { describe, test } from 'node:test'\n${text}`)
    const names = Object.keys(files).filter((name) => name.endsWith('.test.ts'))
    const paths = names.map((name) => join(folder, name))
    return await runTests(paths, { signal: new AbortController().signal, concurrency: 2, limits })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const results = ({ tests }: TestRun) => tests.map(({ name, result, reason }) => `${result}: ${name} ${reason}`.trim())

test('tests are counted, skipped ones keep their reason, and suites do not count as tests', async () => {
  const finished = await run({
    'a.test.ts': `
      describe('suite', () => { test('in a suite', () => {}) })
      describe('left out', { skip: 'no root' }, () => { test('never seen', () => {}) })
      test('skipped', { skip: 'no initdb' }, () => {})
      test('skips itself', (t) => t.skip('no browser'))
      test('for later', { todo: 'not yet' }, () => { throw new Error('known') })`,
  })
  assert.equal(finished.passed, true)
  assert.equal(finished.failures, '')
  assert.deepEqual(results(finished), [
    'passed: in a suite',
    'skipped: left out no root',
    'skipped: skipped no initdb',
    'skipped: skips itself no browser',
    'skipped: for later not yet',
  ])
})

test('a failed test fails the run and is reported with its error and the output of its file', async () => {
  const finished = await run({
    'bad.test.ts': `console.log('a clue'); test('breaks', () => { throw new Error('on purpose') })`,
    'good.test.ts': `console.log('chatter'); test('holds', () => {})`,
  })
  assert.equal(finished.passed, false)
  assert.deepEqual(finished.tests.map(({ name, result }) => `${result}: ${name}`).sort(), [
    'failed: breaks',
    'passed: holds',
  ])
  assert.match(finished.failures, /✖ breaks[^]*on purpose[^]*a clue/)
  assert.doesNotMatch(finished.failures, /chatter/)
})

test('the processor time of a file is its own and that of the processes it ended', async () => {
  const work = (milliseconds: number) => `while (process.cpuUsage().user < ${milliseconds * 1000}) {}`
  const { processorTimes } = await run({
    'busy.test.ts': `
      import { spawnSync } from 'node:child_process'
      test('works', () => {
        spawnSync(process.execPath, ['-e', ${JSON.stringify(work(600))}])
        const begin = process.cpuUsage().user
        while (process.cpuUsage().user - begin < 300_000) {}
      })`,
  })
  const [milliseconds = 0] = processorTimes.values()
  assert.ok(milliseconds >= 850, `${milliseconds} ms`)
})

test('a file without a test and one that fails to load are failures', async () => {
  const finished = await run({ 'empty.test.ts': '', 'broken.test.ts': `throw new Error('not even loaded')` })
  assert.equal(finished.passed, false)
  assert.match(finished.failures, /empty\.test\.ts[^]*there is no test in this file/)
  assert.match(finished.failures, /not even loaded/)
  assert.equal(results(finished).filter((line) => line.startsWith('failed')).length, 2)
})

test('a file that exits early fails, and so do the files of its process that did not run', async () => {
  const finished = await run({
    'gone.test.ts': `test('never ends', async () => { process.exit(0) })`,
    'later.test.ts': `test('holds', () => {})`,
  })
  assert.equal(finished.passed, false)
  assert.deepEqual(
    finished.tests.map(({ file, result }) => `${basename(file)} ${result}`),
    ['gone.test.ts failed', 'later.test.ts failed'],
  )
  assert.match(finished.failures, /the process ended with exit code 0 during \S+gone\.test\.ts/)
})

test('files of one process run one after the other', async () => {
  const finished = await run({
    'first.test.ts': `
      test('takes a while', async () => { await new Promise((done) => setTimeout(done, 50)); globalThis.first = 'done' })`,
    'second.test.ts': `
      const found = globalThis.first
      test('finds what the first left', (t) => t.assert.equal(found, 'done'))`,
  })
  assert.equal(finished.failures, '')
  assert.deepEqual(results(finished), ['passed: takes a while', 'passed: finds what the first left'])
})

test('a file with an open handle after its tests fails with the reason, and the run continues', async () => {
  const open = {
    'open.test.ts': `import { createServer } from 'node:net'; test('forgets', () => { createServer().listen(0) })`,
    'good.test.ts': `test('holds', () => {})`,
  }
  const finished = await run(open, { close: 500 })
  assert.equal(finished.passed, false)
  assert.match(finished.failures, /still open after the tests: .*TCPServerWrap/)
  assert.doesNotMatch(finished.failures, /broke off/)
})

test('a child process that a test left running ends with its file', async () => {
  const finished = await run({
    'forgets.test.ts': `import { spawn } from 'node:child_process'
      test('starts', () => spawn('sleep', ['600'], { stdio: 'inherit' }).unref())`,
  })
  assert.equal(finished.failures, '')
  assert.deepEqual(results(finished), ['passed: starts'])
})

test('a test registered by another module is reported under the file that was run', async () => {
  const finished = await run({
    'shared.ts': `export const register = () => test('shared', () => { throw new Error('on purpose') })`,
    'own.test.ts': `import { register } from './shared.ts'\nregister()`,
  })
  assert.deepEqual(
    finished.tests.filter(({ name }) => name === 'shared').map(({ file }) => basename(file)),
    ['own.test.ts'],
  )
})

test('a suite whose before hook fails is a failure', async () => {
  const finished = await run({
    'suite.test.ts': `import { before } from 'node:test'
      describe('suite', () => { before(() => { throw new Error('no ground to stand on') }); test('in it', () => {}) })`,
  })
  assert.equal(finished.passed, false)
  assert.match(finished.failures, /no ground to stand on/)
})

test('a run that takes too long is stopped and fails with the names of the unfinished files', async () => {
  const finished = await run(
    {
      'open.test.ts': `test('passes', () => { setInterval(() => {}, 1000) })`,
      'fine.test.ts': `test('passes too', () => {})`,
    },
    { run: 3000 },
  )
  assert.equal(finished.passed, false)
  assert.match(finished.failures, /the run was stopped; files that did not end: \S+open\.test\.ts/)
})

test('a selection without tests fails and lists what exists', async () => {
  const result = await stepFor('no-such-thing').run(new AbortController().signal)
  assert.equal(result.passed, false)
  assert.match(result.output, /types, lint/)
})
