import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import { eventually } from '@hearth/testing'
import type { Delivery, Fault } from '../../test/stem-service/script.ts'
import { stemFixture } from '../../test/stem-service/stem-fixture.ts'
import { startStemService } from '../../test/stem-service/stem-service.ts'
import { tonesOf } from '../../test/stem-service/tones.ts'
import { createStemClient } from './stem-client.ts'
import { StemServiceError, type StemFailure } from './stem-service-error.ts'

type Bench = Awaited<ReturnType<typeof stemFixture>>

const failsAs = (kind: StemFailure) => (error: unknown) => {
  assert.ok(error instanceof StemServiceError, String(error))
  assert.equal(error.kind, kind)
  return true
}

async function uploaded({ client, key, source }: Bench): Promise<string> {
  return (await client.upload(key, { file: source, name: 'a.wav' })).sourceId
}

async function started(bench: Bench): Promise<string> {
  return await bench.client.split(bench.key, { sourceId: await uploaded(bench), idempotencyKey: randomUUID() })
}

/** An address where nothing listens any more. */
async function closedAddress(): Promise<string> {
  const service = await startStemService()
  await service.close()
  return service.url
}

/** A client that waits 20 s, and 60 s for a file that stands still. */
const impatient = ({ service, timers }: Bench) => createStemClient({ baseUrl: service.url, timers })

/** The addresses of a finished task. */
async function finished(bench: Bench) {
  bench.service.script.progress = []
  const taskId = await started(bench)
  const state = await bench.client.check(bench.key, taskId)
  assert.ok(state?.state === 'success')
  const [stem, back] = ['stem', 'back'].map((type) => state.tracks.find((track) => track.type === type)?.url)
  return { taskId, stem: stem ?? '', back: back ?? '' }
}

test('a file is uploaded, split, polled, downloaded and deleted', async (t) => {
  const bench = await stemFixture(t)
  const { client, key, service, source, folder } = bench
  assert.equal(await client.minutesLeft(key), 10)
  const steps: number[] = []
  const onProgress = (sent: number, total: number) => steps.push(sent / total)
  const upload = await client.upload(key, { file: source, name: 'job.wav', onProgress })
  assert.equal(upload.durationSeconds, 3)
  assert.equal(steps.at(-1), 1)

  const taskId = await client.split(key, { sourceId: upload.sourceId, idempotencyKey: randomUUID() })
  const states = []
  for (let index = 0; index < 6; index += 1) states.push(await client.check(key, taskId))
  assert.equal(await client.check(key, randomUUID()), undefined)
  assert.deepEqual(
    states.map((state) => (state?.state === 'progress' ? state.percent : state?.state)),
    [0, 0, 15, 60, 100, 'success'],
  )
  const done = states[5]
  assert.ok(done?.state === 'success')
  assert.deepEqual(
    done.tracks.map(({ type, label }) => [type, label]),
    [
      ['stem', 'vocals'],
      ['back', 'no_vocals'],
    ],
  )
  const into = join(folder, 'vocals.mp3')
  const size = await client.download(done.tracks[0]!.url, { into, maxBytes: 1_000_000 })
  assert.deepEqual([(await stat(into)).size, (await stat(into)).mode & 0o777], [size, 0o600])
  const tones = await tonesOf(into)
  assert.ok(tones.middle > 0.9 && tones.side < 0.1, inspect(tones))
  assert.equal(await client.minutesLeft(key), 10 - 3 / 60)

  await client.deleteSource(key, upload.sourceId)
  assert.equal(service.sourceCount, 0)
  await assert.rejects(client.download(done.tracks[0]!.url, { into, maxBytes: 1_000_000 }), failsAs('expired'))
  assert.ok(service.calls.every((call) => (call.key === key) === call.path.startsWith('/api/')))
})

test('an upload declares its exact size and a portable name', async (t) => {
  const { client, key, service, source } = await stemFixture(t)
  for (const name of ['job.wav', 'Ünïcode "q" \\ ; %41 – \r\nX-Evil: 1 \u{1f3b5} (1)*.wav', '\ud800lone']) {
    await client.upload(key, { file: source, name })
    const { headers } = service.calls.at(-1)!
    assert.equal(headers['content-length'], String((await stat(source)).size))
    assert.equal(headers['transfer-encoding'], undefined)
    assert.match(
      headers['content-disposition'] ?? '',
      /^attachment; filename="[\w. -]*"; filename\*=utf-8''[\w.!~%-]*$/,
    )
    assert.equal(headers['x-evil'], undefined)
  }
})

test('uploading a missing file fails with a disk error', async (t) => {
  const { client, key, source, folder, service } = await stemFixture(t, { seconds: 200 })
  await assert.rejects(client.upload(key, { file: join(folder, 'none'), name: 'a.wav' }), { code: 'ENOENT' })
  await writeFile(join(folder, 'empty'), '')
  await assert.rejects(client.upload(key, { file: join(folder, 'empty'), name: 'a.wav' }), failsAs('failed'))
  assert.equal(service.calls.length, 0)
  const shorten = () => void truncate(source, 1000)
  await assert.rejects(client.upload(key, { file: source, name: 'a.wav', onProgress: shorten }), /became shorter/)
})

test('cancelling ends a task, and a finished one causes no error', async (t) => {
  const bench = await stemFixture(t)
  const taskId = await started(bench)
  await bench.client.cancel(bench.key, taskId)
  await bench.client.cancel(bench.key, taskId)
  await bench.client.cancel(bench.key, randomUUID())
  assert.deepEqual(await bench.client.check(bench.key, taskId), { state: 'cancelled' })
})

describe('errors of the service', () => {
  const answers: [string, Fault, StemFailure][] = [
    ['no such key', { answer: 403, body: { detail: 'no' } }, 'invalid-key'],
    ['key not accepted', { answer: 401, body: '' }, 'invalid-key'],
    ['a plan without the API', { answer: 400, body: { detail: 'Your plan has no API' } }, 'plan'],
    ['no minutes', { answer: 400, body: { detail: 'x', code: 'exceeded_duration' } }, 'out-of-minutes'],
    ['a long file', { answer: 400, body: { detail: 'x', code: 'max_duration' } }, 'exceeded-duration'],
    ['a large file', { answer: 400, body: { detail: 'x', code: 'exceeded_size' } }, 'exceeded-size'],
    ['a file too large for its door', { answer: 413, body: '<html>' }, 'exceeded-size'],
    ['no batches', { answer: 400, body: { detail: 'x', code: 'batch_not_avaliable' } }, 'plan'],
    ['a used key', { answer: 400, body: { detail: 'x', code: 'idempotency_key_used' } }, 'already-started'],
    ['an error inside', { answer: 400, body: { detail: 'x', code: 'internal_error' } }, 'upstream'],
    ['a file that is gone', { answer: 400, body: { detail: 'The file has already been deleted' } }, 'expired'],
    ['an unknown code', { answer: 400, body: { detail: 'x', code: 'toString' } }, 'upstream'],
    ['a wrong member', { answer: 422, body: { detail: [{ loc: ['body'], msg: 'x', type: 'y' }] } }, 'upstream'],
    ['too many calls', { answer: 429, body: { detail: 'slow down' } }, 'rate-limited'],
    ['an outage', { answer: 503, body: '<html>maintenance</html>' }, 'upstream'],
    ['a redirect', { answer: 307, body: '', headers: { location: 'http://127.0.0.1:1/' } }, 'upstream'],
    ['no JSON', { answer: 200, body: '<html>hello</html>' }, 'upstream'],
    ['other JSON', { answer: 200, body: { task: 1 } }, 'upstream'],
    ['a broken connection', { resetAfterBytes: 0 }, 'unreachable'],
    ['silence', 'hang', 'timeout'],
  ]
  for (const [name, fault, kind] of answers) {
    test(`${name}: ${kind}`, async (t) => {
      const bench = await stemFixture(t)
      const sourceId = await uploaded(bench)
      bench.service.fail('split/stem_separator', fault)
      const client = fault === 'hang' ? impatient(bench) : bench.client
      const split = client.split(bench.key, { sourceId, idempotencyKey: randomUUID() })
      await assert.rejects(split, failsAs(kind))
      assert.equal(bench.service.payments.length, 0)
    })
  }

  test('an account without key, minutes or plan, found by a request for the minutes', async (t) => {
    const { client, key, service } = await stemFixture(t)
    service.account(key).hasApi = false
    await assert.rejects(client.minutesLeft(key), failsAs('plan'))
    service.removeAccount(key)
    await assert.rejects(client.minutesLeft(key), failsAs('invalid-key'))
  })

  test('an oversized response is not read', async (t) => {
    const { client, key, service } = await stemFixture(t, { limits: { answerBytes: 1000 } })
    service.fail('limits/minutes_left', { answer: 200, body: { minutes_left: 1, more: 'x'.repeat(5000) } })
    await assert.rejects(client.minutesLeft(key), failsAs('upstream'))
  })

  test('the real limits of the service apply: minutes, length, size, checks', async (t) => {
    const bench = await stemFixture(t, { factor: 1 })
    const { client, key, service } = bench
    const sourceId = await uploaded(bench)
    const split = () => client.split(key, { sourceId, idempotencyKey: randomUUID() })
    service.script.maxDurationSeconds = 1
    await assert.rejects(split(), failsAs('exceeded-duration'))
    service.script.maxDurationSeconds = 100
    service.script.maxBytes = 1
    await assert.rejects(split(), failsAs('exceeded-size'))
    service.script.maxBytes = 1e9
    service.account(key).minutes = 0.01
    await assert.rejects(split(), failsAs('out-of-minutes'))
    service.expireSources()
    await assert.rejects(split(), failsAs('expired'))
    for (let index = 0; index < 30; index += 1) await client.check(key, randomUUID())
    await assert.rejects(client.check(key, randomUUID()), failsAs('rate-limited'))
  })
})

test('a refused connection is unreachable, with the reason', async () => {
  const client = createStemClient({ baseUrl: await closedAddress() })
  await assert.rejects(client.minutesLeft('k'), { kind: 'unreachable', detail: 'ECONNREFUSED' })
})

test('an abort rejects a call with its own reason', async (t) => {
  const { client, key, service, source } = await stemFixture(t)
  const reason = new Error('the user does not want it any more')
  for (const path of ['limits/minutes_left', 'upload']) {
    const controller = new AbortController()
    service.fail(path, 'hang')
    const call =
      path === 'upload'
        ? client.upload(key, { file: source, name: 'a.wav', signal: controller.signal })
        : client.minutesLeft(key, controller.signal)
    const rejected = assert.rejects(call, reason)
    await eventually(
      () => service.calls.length,
      (count) => count > 0,
    )
    controller.abort(reason)
    await rejected
    await assert.rejects(client.minutesLeft(key, controller.signal), reason)
  }
})

test('a connection that breaks during an upload is handled', async (t) => {
  const bench = await stemFixture(t, { seconds: 60 })
  bench.service.fail('upload', { resetAfterBytes: 500_000 })
  await assert.rejects(uploaded(bench), failsAs('unreachable'))
  assert.equal(bench.service.sourceCount, 0)
  await uploaded(bench)
})

describe('a result download', () => {
  async function fetchOne(bench: Bench, deliveries: readonly Delivery[], maxBytes = 1_000_000) {
    const { stem } = await finished(bench)
    bench.service.script.deliveries.push(...deliveries)
    const into = join(bench.folder, 'result.mp3')
    const isTimed = deliveries.includes('stalled') || deliveries.includes('slow')
    const client = isTimed ? impatient(bench) : bench.client
    const outcome = await client.download(stem, { into, maxBytes }).catch((error: unknown) => error)
    const files = (await readdir(bench.folder)).filter((name) => name.startsWith('result'))
    return { outcome, files }
  }

  for (const delivery of ['whole', 'chunked', 'slow', 'redirect'] as const) {
    test(`is received ${delivery}`, async (t) => {
      const { outcome, files } = await fetchOne(await stemFixture(t, { factor: 100 }), [delivery])
      assert.equal(typeof outcome, 'number', String(outcome))
      assert.deepEqual(files, ['result.mp3'])
    })
  }

  const failures: [Delivery, StemFailure][] = [
    ['stalled', 'timeout'],
    ['endless', 'upstream'],
    ['truncated', 'unreachable'],
    ['empty', 'upstream'],
    ['html', 'upstream'],
    ['missing', 'expired'],
    ['unavailable', 'upstream'],
    ['redirect-again', 'upstream'],
    [{ redirectTo: 'https://evil.example/x' }, 'upstream'],
    [{ redirectTo: 'http://127.0.0.1:1/x' }, 'upstream'],
    [{ redirectTo: 'http://169.254.169.254/x' }, 'upstream'],
  ]
  for (const [delivery, kind] of failures) {
    test(`that is ${inspect(delivery)} leaves nothing behind: ${kind}`, async (t) => {
      const { outcome, files } = await fetchOne(await stemFixture(t), [delivery])
      failsAs(kind)(outcome)
      assert.deepEqual(files, [])
    })
  }

  test('that never ends is aborted after the last allowed byte', async (t) => {
    const bench = await stemFixture(t)
    await fetchOne(bench, ['endless'])
    await eventually(
      () => bench.service.calls.at(-1)?.isBrokenOff,
      (isBrokenOff) => isBrokenOff === true,
    )
  })

  test('is not started if it declares too large a size', async (t) => {
    const { outcome, files } = await fetchOne(await stemFixture(t), ['whole'], 100)
    failsAs('upstream')(outcome)
    assert.deepEqual(files, [])
  })

  test('with an http address of the service uses https', async (t) => {
    const requested: string[] = []
    const toFake: typeof fetch = async (input, init) => {
      const address = input instanceof Request ? input.url : input.toString()
      if (!address.startsWith('https://d.lalal.ai/')) return await fetch(input, init)
      requested.push(address)
      return await fetch(address.replace('https://d.lalal.ai', bench.service.url), init)
    }
    const bench = await stemFixture(t, { fetch: toFake })
    bench.service.script.resultOrigin = 'http://d.lalal.ai'
    const { outcome, files } = await fetchOne(bench, [])
    assert.equal(typeof outcome, 'number', String(outcome))
    assert.deepEqual([requested.length, files], [1, ['result.mp3']])
  })

  test('replaces an older one only when it is complete', async (t) => {
    const bench = await stemFixture(t)
    const into = join(bench.folder, 'result.mp3')
    await writeFile(into, 'older')
    await fetchOne(bench, ['truncated'])
    assert.equal(await readFile(into, 'utf8'), 'older')
    await fetchOne(bench, ['whole'])
    assert.notEqual(await readFile(into, 'utf8'), 'older')
  })

  test('is aborted with its caller', async (t) => {
    const bench = await stemFixture(t)
    const { stem } = await finished(bench)
    bench.service.script.deliveries.push('endless')
    const controller = new AbortController()
    const reason = new Error('enough')
    const onProgress = (received: number) => {
      if (received > 200_000) controller.abort(reason)
    }
    const into = join(bench.folder, 'result.mp3')
    const download = bench.client.download(stem, { into, maxBytes: 1e9, signal: controller.signal, onProgress })
    await assert.rejects(download, reason)
    assert.deepEqual(
      (await readdir(bench.folder)).filter((name) => name.startsWith('result')),
      [],
    )
  })
})

test('no error contains the key, whatever the service or client includes', async (t) => {
  const bench = await stemFixture(t)
  const { client, key, service, source } = bench
  const sourceId = await uploaded(bench)
  const split = (key: string) => client.split(key, { sourceId, idempotencyKey: randomUUID() })
  const echoes: Fault[] = [
    { answer: 403, body: { detail: `the key ${key} is unknown`, code: key } },
    { answer: 400, body: { detail: `no ${key}`, code: key } },
    { answer: 422, body: { detail: [{ loc: [key], msg: key }] } },
    { answer: 500, body: key, headers: { 'x-request-id': key } },
    { answer: 200, body: { [key]: key } },
    { resetAfterBytes: 0 },
    'hang',
  ]
  const errors: unknown[] = []
  const keep = async (work: Promise<unknown>) => {
    await work.then(
      () => assert.fail('it should have failed'),
      (error: unknown) => errors.push(error),
    )
  }
  for (const fault of echoes) {
    service.fail('split/stem_separator', fault)
    const client = fault === 'hang' ? impatient(bench) : bench.client
    await keep(client.split(key, { sourceId, idempotencyKey: randomUUID() }))
  }
  for (const bad of [`${key}\nX: 1`, `${key}ü`, `${key} `, '']) {
    await keep(split(bad))
    await keep(client.upload(bad, { file: source, name: 'a' }))
  }
  await keep(createStemClient({ baseUrl: await closedAddress() }).minutesLeft(key))
  assert.equal(errors.length, echoes.length + 9)
  for (const error of errors) {
    const everything = inspect(error, { depth: 9, showHidden: true, getters: true }) + JSON.stringify(error)
    assert.ok(error instanceof StemServiceError)
    assert.ok(!everything.includes(key), everything)
  }

  const taskId = await split(key)
  service.fail('check', { answer: 200, body: { result: { [taskId]: { status: 'server_error', error: `${key}!` } } } })
  assert.deepEqual(await client.check(key, taskId), { state: 'unknown', detail: '[key]!' })
})
