import assert from 'node:assert/strict'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { decodeWith } from '../../test/music/plain-decoder.ts'
import { createAnalyser, type Analyser, type AnalyserDependencies } from './analyse-audio.ts'

const folder = await temporaryDirectory('analyser')
const analysers: Analyser[] = []
after(async () => {
  await Promise.all(analysers.map((analyser) => analyser.close()))
  await folder[Symbol.asyncDispose]()
})
const at = (name: string) => join(folder.path, name)

/** The real thread, but for files with certain names. */
const script = at('thread.mjs')
await writeFile(
  script,
  `import { writeFileSync } from 'node:fs'
   import { parentPort } from 'node:worker_threads'
   parentPort.on('message', ({ file = '' }) => {
     if (file.includes('crash')) throw new Error('the roof came down')
     if (file.includes('exit')) process.exit(7)
     if (file.includes('memory')) for (const all = []; ; ) all.push(Array(1e5).fill(file))
     if (file.includes('endless')) for (writeFileSync(file + '.begun', ''); ; );
   })
   await import(${JSON.stringify(new URL('worker.ts', import.meta.url).href)})`,
)
for (const name of ['good', 'crash', 'exit', 'memory', 'endless', 'endless-2']) await writeFile(at(name), name)

function analyserWith(parts: Partial<AnalyserDependencies>): Analyser {
  const decode = () => Promise.resolve(new Float32Array(22_050))
  const analyser = createAnalyser({ slots: 1, decode, script: new URL(`file://${script}`), ...parts })
  analysers.push(analyser)
  return analyser
}

const never = new AbortController().signal
const run = (analyser: Analyser, name: string, options: { signal?: AbortSignal; timeoutMs?: number } = {}) =>
  analyser.analyse(at(name), { signal: never, timeoutMs: 20_000, ...options })
const begun = (name: string) => eventually(() => existsSync(at(`${name}.begun`)), Boolean)

describe('a worker thread that dies', () => {
  for (const [name, said] of [
    ['crash', /thread died: the roof came down/],
    ['exit', /thread died: it ended with 7/],
    ['memory', /thread died: .*memory/],
  ] as const)
    test(`by ${name} fails only its own analysis; the next one gets a new thread`, async () => {
      const analyser = analyserWith({})
      await assert.rejects(run(analyser, name), { name: 'AnalysisFailed', problem: 'crashed', message: said })
      assert.equal((await run(analyser, 'good')).hash.length, 64)
    })

  test('does not affect waiting analyses', async () => {
    const analyser = analyserWith({})
    const [first, second] = await Promise.allSettled([run(analyser, 'crash'), run(analyser, 'good')])
    assert.deepEqual([first?.status, second?.status], ['rejected', 'fulfilled'])
  })
})

describe('a cancelled analysis', () => {
  test('rejects with the reason and frees its slot while running', async () => {
    const analyser = analyserWith({})
    const abort = new AbortController()
    const analysis = run(analyser, 'endless', { signal: abort.signal })
    await begun('endless')
    abort.abort(new Error('cancelled by its owner'))
    await assert.rejects(analysis, /cancelled by its owner/)
    assert.equal((await run(analyser, 'good')).hash.length, 64)
  })

  test('leaves no process behind while decoding', async () => {
    const slow = at('slow-ffmpeg')
    await writeFile(slow, `#!/bin/sh\necho $$ > ${at('pid')}.new && mv ${at('pid')}.new ${at('pid')}\nexec sleep 60\n`)
    await chmod(slow, 0o755)
    const analyser = createAnalyser({ decode: decodeWith(slow), slots: 1 })
    analysers.push(analyser)
    const abort = new AbortController()
    const analysis = run(analyser, 'good', { signal: abort.signal })
    await eventually(() => existsSync(at('pid')), Boolean)
    abort.abort(new Error('cancelled'))
    await assert.rejects(analysis, /cancelled/)
    const pid = Number(await readFile(at('pid'), 'utf8'))
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  })

  test('leaves the queue without having had a slot', async () => {
    const analyser = analyserWith({ maxWaiting: 1 })
    const [first, second] = [new AbortController(), new AbortController()]
    const running = run(analyser, 'endless-2', { signal: first.signal })
    const waiting = run(analyser, 'good', { signal: second.signal })
    await assert.rejects(run(analyser, 'good'), { problem: 'busy' })
    second.abort(new Error('no longer wanted'))
    await assert.rejects(waiting, /no longer wanted/)
    const next = run(analyser, 'good')
    first.abort(new Error('enough'))
    await assert.rejects(running, /enough/)
    assert.equal((await next).hash.length, 64)
  })

  test('does nothing before it starts', async () => {
    await assert.rejects(
      run(analyserWith({}), 'good', { signal: AbortSignal.abort(new Error('too late')) }),
      /too late/,
    )
  })
})

describe('limits', () => {
  test('an analysis that takes too long is stopped, and the error names the limit', async () => {
    const analyser = analyserWith({})
    const message = 'the analysis took longer than 0.3 s'
    await assert.rejects(run(analyser, 'endless', { timeoutMs: 300 }), { problem: 'timeout', message })
    assert.equal((await run(analyser, 'good')).hash.length, 64)
  })

  test('the number of waiting analyses is limited', async () => {
    const analyser = analyserWith({ maxWaiting: 2 })
    const three = [run(analyser, 'good'), run(analyser, 'good'), run(analyser, 'good')]
    const message = 'more than 2 files are waiting for analysis'
    await assert.rejects(run(analyser, 'good'), { name: 'AnalysisFailed', problem: 'busy', message })
    assert.equal((await Promise.all(three)).length, 3)
  })

  test('closing stops running analyses, rejects waiting ones and accepts no more', async () => {
    const analyser = analyserWith({})
    const analyses = [run(analyser, 'endless'), run(analyser, 'good')]
    const outcomes = Promise.allSettled(analyses)
    await analyser.close()
    for (const outcome of await outcomes)
      assert.equal(outcome.status === 'rejected' && (outcome.reason as { problem: string }).problem, 'closed')
    await assert.rejects(run(analyser, 'good'), { problem: 'closed' })
  })
})
