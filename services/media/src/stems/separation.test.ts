import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { assertSplit, Crash, failsAs, separationFixture } from '../../test/stem-service/separation-fixture.ts'
import type { SeparationRecord } from './separation-record.ts'
import { isResumable } from './separation.ts'
import type { StemServiceError } from './stem-service-error.ts'

test('a separation runs to its end, reports its progress, and leaves nothing at the service', async (t) => {
  const bench = await separationFixture(t)
  const result = await bench.run()
  assert.deepEqual(result, {
    vocals: join(bench.into, 'vocals.mp3'),
    instrumental: join(bench.into, 'instrumental.mp3'),
  })
  await assertSplit(bench)
  const { stages } = bench.kept
  assert.deepEqual(
    stages.filter((stage) => !/^(upload|download) /.test(stage)),
    ['split 0', 'wait 0', 'wait 15', 'wait 60', 'wait 100', 'clean-up 0'],
  )
  assert.ok(stages.includes('upload 100') && stages.includes('download 50') && stages.includes('download 100'))
  assert.deepEqual([bench.service.payments.length, bench.service.sourceCount], [1, 0])
  assert.deepEqual(bench.kept.waits, [5000, 5000, 5000, 5000, 5000])
})

describe('temporary failures', () => {
  test('a lost response of every call, an outage and a broken connection', async (t) => {
    const bench = await separationFixture(t)
    const { service } = bench
    service.fail('limits/minutes_left', { resetAfterBytes: 0 })
    service.fail('upload', { answer: 502, body: 'bad gateway' }, { resetAfterBytes: 10_000 }, 'lose-answer')
    service.fail('split/stem_separator', { answer: 503 }, 'lose-answer', 'lose-answer')
    service.fail('check', { answer: 500 }, { resetAfterBytes: 0 }, { answer: 200, body: '<html>' }, 'lose-answer')
    await bench.run()
    await assertSplit(bench)
    assert.equal(service.payments.length, 1)
    const keys = service.calls.filter((call) => call.path.includes('/split/')).map((call) => call.json as object)
    assert.deepEqual([keys.length, new Set(keys.map((json) => JSON.stringify(json))).size], [4, 1])
  })

  test('an internal error when starting the task: the same key is used again', async (t) => {
    const bench = await separationFixture(t)
    const refusal = { answer: 400, body: { detail: 'sorry', code: 'internal_error' } }
    bench.service.fail('split/stem_separator', refusal, refusal)
    await bench.run()
    assert.equal(bench.service.payments.length, 1)
  })

  test('an internal error that ends the task: one retry with the same key', async (t) => {
    const bench = await separationFixture(t)
    bench.service.script.taskErrors.push({ code: 'internal_error', detail: 'sorry' })
    await bench.run()
    await assertSplit(bench)
    assert.deepEqual([bench.service.tasks.length, bench.service.payments.length], [2, 1])
  })

  test('an unknown task state', async (t) => {
    const bench = await separationFixture(t)
    bench.service.script.serverErrors = 1
    await bench.run()
    await assertSplit(bench)
  })

  test('rate limiting: pauses grow to 30 s and shrink again', async (t) => {
    const bench = await separationFixture(t)
    const refusal = { answer: 429, body: { detail: 'slow down' } }
    bench.service.fail('check', ...Array.from({ length: 5 }, () => refusal))
    await bench.run()
    const growing = [10_000, 20_000, 30_000, 30_000, 30_000]
    assert.deepEqual(bench.kept.waits, [...growing, 5000, 5000, 5000, 5000, 5000])
    assert.equal(bench.service.payments.length, 1)
  })

  test('the real limit of 30 requests a minute', async (t) => {
    const bench = await separationFixture(t)
    bench.service.script.checksPerMinute = 3
    await bench.run()
    await assertSplit(bench)
    assert.ok(bench.checks().some((call) => call.status === 429))
  })

  test('damaged results and expired addresses', async (t) => {
    const bench = await separationFixture(t)
    bench.service.script.deliveries.push('truncated', 'html', 'whole', 'missing', 'unavailable')
    await bench.run()
    await assertSplit(bench)
  })
})

describe('a separation ends when', () => {
  test('the task fails: the reason is kept, the file deleted', async (t) => {
    const bench = await separationFixture(t)
    bench.service.script.taskErrors.push({ code: 'inference_error', detail: 'no voice was heard' })
    const error = await bench.run().catch((error: unknown) => error)
    failsAs('failed')(error)
    assert.deepEqual((error as StemServiceError).code, 'inference_error')
    assert.deepEqual([isResumable(error), bench.service.sourceCount], [false, 0])
  })

  for (const [code, kind] of [
    ['exceeded_duration', 'out-of-minutes'],
    ['max_duration', 'exceeded-duration'],
    ['exceeded_size', 'exceeded-size'],
    ['batch_not_avaliable', 'plan'],
    [null, 'failed'],
  ] as const) {
    test(`the task fails with ${code}: ${kind}`, async (t) => {
      const bench = await separationFixture(t)
      bench.service.script.taskErrors.push({ code, detail: 'no' })
      await assert.rejects(bench.run(), failsAs(kind))
      assert.equal(bench.service.sourceCount, 0)
    })
  }

  test('the task fails inside the service for the second time', async (t) => {
    const bench = await separationFixture(t)
    const failure = { code: 'internal_error', detail: 'sorry' }
    bench.service.script.taskErrors.push(failure, failure)
    await assert.rejects(bench.run(), failsAs('failed'))
    assert.equal(bench.service.payments.length, 1)
  })

  test('the file expires before the work is done', async (t) => {
    const bench = await separationFixture(t)
    bench.service.script.progress = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]
    const onStage = (stage: string) => {
      if (stage === 'wait') bench.service.expireSources()
    }
    await assert.rejects(bench.run({ onStage }), failsAs('expired'))
  })

  test('the service has lost the task', async (t) => {
    const bench = await separationFixture(t)
    const onStage = (stage: string) => {
      if (stage === 'wait') bench.service.forgetTasks()
    }
    const error = await bench.run({ onStage }).catch((error: unknown) => error)
    failsAs('expired')(error)
    assert.equal(isResumable(error), false)
  })

  test('the task is cancelled at the service', async (t) => {
    const bench = await separationFixture(t)
    const onStage = (stage: string) => {
      if (stage === 'wait') void bench.client.cancel(bench.key, bench.service.tasks[0]!.id)
    }
    await assert.rejects(bench.run({ onStage }), failsAs('cancelled'))
  })

  test('the key becomes invalid; with a valid one it continues', async (t) => {
    const bench = await separationFixture(t)
    bench.service.fail('check', { answer: 403, body: { detail: 'unknown key' } })
    const error = await bench.run().catch((error: unknown) => error)
    failsAs('invalid-key')(error)
    assert.equal(isResumable(error), true)
    await bench.run()
    assert.equal(bench.service.payments.length, 1)
  })

  test('the time limit is reached; the next run continues the same task', async (t) => {
    const bench = await separationFixture(t)
    bench.service.script.progress = Array.from({ length: 1000 }, () => 50)
    await assert.rejects(bench.run({ limits: { overallMs: 800_000 } }), failsAs('timeout'))
    assert.equal(bench.service.tasks[0]?.isCancelled, false)
    bench.service.script.progress = []
    await bench.run()
    await assertSplit(bench)
    assert.equal(bench.service.payments.length, 1)
  })

  test('failures persist', async (t) => {
    const bench = await separationFixture(t)
    bench.service.fail('upload', ...Array.from({ length: 9 }, () => ({ answer: 500 })))
    await assert.rejects(bench.run(), failsAs('upstream'))
    assert.equal(bench.service.calls.filter((call) => call.path.includes('/upload/')).length, 5)
  })
})

describe('a separation does not start with', () => {
  test('audio that is too long, also if only the service detects it', async (t) => {
    const bench = await separationFixture(t)
    const source = { file: bench.source, name: 'a.wav', durationSeconds: 601 }
    await assert.rejects(bench.run({ source }), failsAs('exceeded-duration'))
    assert.equal(bench.service.calls.length, 0)
    const wrong = { ...source, durationSeconds: 1 }
    await assert.rejects(bench.run({ source: wrong, limits: { durationSeconds: 1 } }), failsAs('exceeded-duration'))
    assert.deepEqual([bench.service.payments.length, bench.service.sourceCount], [0, 0])
  })

  test('too few minutes left, except when the split may already be paid', async (t) => {
    const bench = await separationFixture(t)
    const account = bench.service.account(bench.key)
    account.minutes = 0.04
    await assert.rejects(bench.run(), failsAs('out-of-minutes'))
    assert.equal(bench.service.calls.length, 1)
    account.minutes = 0.05
    const save = async (record: SeparationRecord) => {
      if (record.stage === 'wait') throw new Crash()
      bench.kept.record = record
    }
    await assert.rejects(bench.run({ save }), Crash)
    assert.equal(Math.round(account.minutes), 0)
    await bench.run()
    await assertSplit(bench)
  })

  test('an invalid key', async (t) => {
    const bench = await separationFixture(t)
    bench.service.removeAccount(bench.key)
    await assert.rejects(bench.run(), failsAs('invalid-key'))
    assert.equal(bench.service.calls.length, 1)
  })
})
