import assert from 'node:assert/strict'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import { assertSplit, Crash, failsAs, separationFixture } from '../../test/stem-service/separation-fixture.ts'
import { newSeparation, SeparationPaused, type SeparationRecord } from './separation-record.ts'
import { isResumable, type Separation } from './separation.ts'

describe('a crash', () => {
  for (const moment of ['before', 'after']) {
    for (const number of [1, 2, 3]) {
      test(`just ${moment} save ${number} causes no extra payment`, async (t) => {
        const bench = await separationFixture(t)
        const save = async (record: SeparationRecord) => {
          bench.kept.saves += 1
          if (bench.kept.saves === number && moment === 'before') throw new Crash()
          bench.kept.record = record
          if (bench.kept.saves === number) throw new Crash()
        }
        await assert.rejects(bench.run({ save }), Crash)
        await bench.run()
        // An upload that was not recorded stays there until the service removes it.
        assert.equal(bench.service.sourceCount, number === 1 && moment === 'before' ? 1 : 0)
        await assertSplit(bench)
        assert.equal(bench.service.payments.length, 1)
        assert.equal(bench.service.account(bench.key).minutes, 10 - 3 / 60)
      })
    }
  }

  for (const stage of ['upload 100', 'split 0', 'wait 0', 'wait 60', 'download 50', 'clean-up 0']) {
    test(`at "${stage}" causes no extra payment`, async (t) => {
      const bench = await separationFixture(t)
      const signal = new AbortController()
      const onStage = (...now: unknown[]) => {
        if (now.join(' ') === stage) signal.abort(new SeparationPaused('stopping'))
      }
      const first = bench.run({ signal: signal.signal, onStage })
      // The last stage only tidies up, which a stop does not undo.
      if (stage === 'clean-up 0') await first
      else await assert.rejects(first, SeparationPaused)
      await bench.run()
      await assertSplit(bench)
      assert.equal(bench.service.payments.length, 1)
      assert.ok(bench.service.tasks.every((task) => !task.isCancelled))
    })
  }

  test('that loses the id of the paid task fails the separation without paying again', async (t) => {
    const bench = await separationFixture(t)
    bench.service.script.isKeyReusableInQueue = false
    const save = async (record: SeparationRecord) => {
      if (record.stage === 'wait') throw new Crash()
      bench.kept.record = record
    }
    await assert.rejects(bench.run({ save }), Crash)
    for (let again = 0; again < 2; again += 1) {
      const error = await bench.run().catch((error: unknown) => error)
      failsAs('already-started')(error)
      assert.equal(isResumable(error), false)
    }
    assert.equal(bench.service.payments.length, 1)
    bench.kept.record = newSeparation()
    await bench.run()
    assert.equal(bench.service.payments.length, 2)
  })

  test('after all downloads returns the files or downloads them again', async (t) => {
    const bench = await separationFixture(t)
    const save = async (record: SeparationRecord) => {
      bench.kept.record = record
      if (record.stage === 'clean-up') throw new Crash()
    }
    await assert.rejects(bench.run({ save }), Crash)
    await rename(join(bench.into, 'vocals.mp3'), join(bench.into, 'lost'))
    await bench.run()
    await assertSplit(bench)
    const downloads = bench.service.calls.filter((call) => call.path.startsWith('/results/')).length
    assert.deepEqual([downloads, bench.service.payments.length], [4, 1])
  })
})

describe('publishing results', () => {
  test('happens before the service deletes them', async (t) => {
    const bench = await separationFixture(t)
    const publish = async (files: { vocals: string; instrumental: string }) => {
      assert.equal(bench.service.sourceCount, 1)
      for (const file of Object.values(files)) await rename(file, `${file}.kept`)
    }
    const save = async (record: SeparationRecord) => {
      bench.kept.record = record
      if (record.stage === 'clean-up') throw new Crash()
    }
    await assert.rejects(bench.run({ publish, save }), Crash)
    await bench.run({ publish: () => assert.fail('they are kept already') })
    assert.equal(bench.service.sourceCount, 0)
  })

  test('can be retried from the service after a failure', async (t) => {
    const bench = await separationFixture(t)
    const full = new Error('the disk is full')
    await assert.rejects(bench.run({ publish: () => Promise.reject(full) }), full)
    assert.equal(isResumable(full), true)
    assert.equal(bench.service.sourceCount, 1)
    await bench.run({ publish: async () => undefined })
    assert.deepEqual([bench.service.sourceCount, bench.service.payments.length], [0, 1])
  })
})

describe('a cancelled separation', () => {
  const reason = new Error('cancelled by the user')

  test('at the service: the task is cancelled and the file deleted', async (t) => {
    const bench = await separationFixture(t)
    const onStage = (stage: string, percent: number) => {
      if (stage === 'wait' && percent > 0) bench.controller.abort(reason)
    }
    await assert.rejects(bench.run({ onStage }), reason)
    assert.deepEqual([bench.service.tasks[0]?.isCancelled, bench.service.sourceCount], [true, 0])
  })

  test('while starting the task: a task that may have started is cancelled, and its file deleted', async (t) => {
    const bench = await separationFixture(t)
    bench.service.fail('split/stem_separator', 'hang')
    const run = bench.run()
    const rejected = assert.rejects(run, reason)
    await eventually(
      () => bench.service.calls.at(-1)?.path,
      (path) => path?.includes('/split/') === true,
    )
    bench.controller.abort(reason)
    await rejected
    assert.equal(bench.service.sourceCount, 0)
  })

  for (const when of ['upload', 'pause', 'download'] as const) {
    test(`during the ${when}`, async (t) => {
      const bench = await separationFixture(t)
      if (when === 'pause') bench.service.fail('upload', { answer: 503 })
      if (when === 'download') bench.service.script.deliveries.push('endless')
      const onStage = (stage: string) => {
        if (stage === when) bench.controller.abort(reason)
      }
      const delay: Separation['timers']['delay'] = (ms, signal) => {
        if (when === 'pause') bench.controller.abort(reason)
        return bench.timers.delay(ms, signal)
      }
      await assert.rejects(bench.run({ onStage, timers: { ...bench.timers, delay } }), reason)
      await assert.rejects(stat(join(bench.into, 'instrumental.mp3')), { code: 'ENOENT' })
      if (when === 'download') assert.equal(bench.service.sourceCount, 0)
    })
  }

  test('does not wait for an unresponsive service', async (t) => {
    const bench = await separationFixture(t)
    bench.service.fail('cancel', 'hang')
    bench.service.fail('delete', 'hang')
    const onStage = (stage: string) => {
      if (stage === 'wait') bench.controller.abort(reason)
    }
    await assert.rejects(bench.run({ onStage, limits: { tidyMs: 10_000 } }), reason)
  })
})
