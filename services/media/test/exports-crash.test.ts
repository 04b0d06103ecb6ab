import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { Export } from '../src/exports/schema.ts'
import type { Job } from '../src/jobs/schema.ts'
import { emptyContent, type Workbench } from '../src/workbench/schema.ts'
import { knows } from './in-process.ts'
import { openCaller, type Send } from './open-caller.ts'
import { startPlatform } from './platform/platform.ts'

/** Names of all files below a folder; none for one that is not there. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}

/** A service that is killed and started again on the same data, with a finished sound. */
async function openScene() {
  await using cleanup = new AsyncDisposableStack()
  const platform = cleanup.use(await startPlatform())
  const folder = cleanup.use(await temporaryDirectory())
  const data = join(folder.path, 'data')
  const environment = { ...knows(platform.host), DATA_DIR: data, LOG_LEVEL: 'fatal' }
  let service = await startServiceProcess('media', environment)
  cleanup.defer(() => service.kill())
  let send: Send = await openCaller(service.url)
  const { body } = await send<Job>('POST', '/api/submit', {
    url: platform.page('sound.m4a'),
    type: 'audio',
    quality: 'max',
  })
  const jobs = `/api/jobs/${body.id}`
  await eventually(
    async () => (await send<Job>('GET', jobs)).body.status,
    (status) => status === 'analysis_done',
    { seconds: 60, everyMs: 200 },
  )
  const resources = cleanup.move()
  return {
    jobId: body.id,
    send: ((...call) => send(...call)) as Send,
    stored: () => filesIn(join(data, 'artifacts', body.id)).filter((name) => name.startsWith('export_')),
    scratch: () => filesIn(join(data, 'scratch')),
    async killAndRestart() {
      await service.kill()
      service = await startServiceProcess('media', environment)
      send = await openCaller(service.url)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

type Scene = Awaited<ReturnType<typeof openScene>>

/** Parts that take a while, so that every step is met while it goes on. */
const plan = {
  parts: Array.from({ length: 6 }, (_, index) => ({
    name: `Part ${index + 1}`,
    start: index / 10,
    end: 10 + index / 10,
  })),
  format: 'flac',
  tempo_percent: 93,
  loudness_lufs: -20,
}

const soon = { seconds: 60, everyMs: 3 }

/** Moments at which the service is killed, by what can be seen of them. */
const moments: Readonly<Record<string, (scene: Scene, id: string) => Promise<unknown>>> = {
  'when the request was answered': () => Promise.resolve(),
  'while parts are cut': (scene) =>
    eventually(
      () => Promise.resolve(scene.scratch()),
      (names) => names.some((name) => /part-\d+\.wav$/.test(name)),
      soon,
    ),
  'while a part is stretched': (scene) =>
    eventually(
      () => Promise.resolve(scene.scratch()),
      (names) => names.some((name) => /stretched-\d+\.wav$/.test(name)),
      soon,
    ),
  'while a file is encoded': (scene) =>
    eventually(
      () => Promise.resolve(scene.scratch()),
      (names) => names.some((name) => /file-\d+\.flac$/.test(name)),
      soon,
    ),
  'when the first file is stored': (scene, id) =>
    eventually(
      () => Promise.resolve(scene.stored()),
      (names) => names.some((name) => name.includes(id)),
      soon,
    ),
  'when most files are stored': (scene, id) =>
    eventually(
      () => Promise.resolve(scene.stored()),
      (names) => names.filter((name) => name.includes(id)).length >= 5,
      soon,
    ),
}

test('an export whose service is killed at any step is made all the same, once, and leaves nothing else', async () => {
  await using scene = await openScene()
  const { send, jobId } = scene
  const list = async () => (await send<Export[]>('GET', `/api/jobs/${jobId}/exports`)).body
  const expected: string[] = []
  for (const [moment, reach] of Object.entries(moments)) {
    const id = randomUUID()
    const request = await send<Export>('POST', `/api/jobs/${jobId}/exports`, { json: { id, ...plan } })
    assert.equal(request.status, 202, moment)
    await reach(scene, id)
    await scene.killAndRestart()
    // The client does not know whether its request came through, and sends it again.
    assert.equal((await send('POST', `/api/jobs/${jobId}/exports`, { json: { id, ...plan } })).status, 202, moment)
    const made = await eventually(
      async () => (await list()).find((one) => one.id === id),
      (one) => one?.status === 'done' || one?.status === 'failed',
      { seconds: 60, everyMs: 100, what: `the end of the export, killed ${moment}` },
    )
    assert.equal(made?.status, 'done', `${moment}: ${made?.message}`)
    assert.equal(made.files.length, plan.parts.length, moment)
    expected.push(...made.files.map(({ number }) => `export_${id}_${number}.flac`))
    assert.deepEqual(scene.stored().toSorted(), expected.toSorted(), moment)
    assert.deepEqual(scene.scratch(), [], moment)
    const { status } = await send('GET', `/api/jobs/${jobId}/exports/${id}/files/4`)
    assert.equal(status, 200, moment)
  }
  assert.equal((await list()).length, Object.keys(moments).length)
})

test('an export that is cancelled or deleted right before the service is killed leaves no file', async () => {
  await using scene = await openScene()
  const { send, jobId } = scene
  for (const [method, tail, isListed] of [
    ['POST', '/cancel', true],
    ['DELETE', '', false],
  ] as const) {
    const id = randomUUID()
    await send('POST', `/api/jobs/${jobId}/exports`, { json: { id, ...plan } })
    await moments['when the first file is stored']?.(scene, id)
    assert.equal((await send(method, `/api/jobs/${jobId}/exports/${id}${tail}`)).status, 200)
    await scene.killAndRestart()
    await eventually(
      () => Promise.resolve(scene.stored()),
      (names) => names.length === 0,
      { seconds: 30, everyMs: 50, what: `the end of the files after ${method}` },
    )
    const { body } = await send<Export[]>('GET', `/api/jobs/${jobId}/exports`)
    assert.deepEqual(
      body.filter((one) => one.id === id).map(({ status }) => status),
      isListed ? ['cancelled'] : [],
    )
    assert.deepEqual(scene.scratch(), [])
  }
})

test('a service that is killed while a session is saved has the one before or the new one, whole', async () => {
  await using scene = await openScene()
  const { send, jobId } = scene
  const path = `/api/jobs/${jobId}/workbench`
  for (let round = 0; round < 4; round += 1) {
    const before = (await send<Workbench>('GET', path)).body
    const cues = Array.from({ length: 80 }, (_, index) => ({ id: `c${index}`, name: `Round ${round}`, at: index / 10 }))
    const saving = send('PUT', path, { json: { revision: before.revision, ...emptyContent, cues } }).catch(
      () => undefined,
    )
    await Promise.race([saving, new Promise((resolve) => setTimeout(resolve, round * 2))])
    await scene.killAndRestart()
    await saving
    const { status, body } = await send<Workbench>('GET', path)
    assert.equal(status, 200)
    const isNew = body.revision === before.revision + 1
    assert.deepEqual(body.cues, isNew ? cues : before.cues)
    assert.ok(isNew || body.revision === before.revision)
  }
})
