import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  eventually,
  postgresObstacle,
  runCommand,
  startPostgres,
  startServiceProcess,
  temporaryDirectory,
} from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import type { EvictionList, StorageForecast, StoragePlan, StorageUsage } from '../src/space/schema.ts'
import { knows } from './in-process.ts'
import { startObjectStorage } from './object-storage/object-storage.ts'
import { openCaller, type Send } from './open-caller.ts'
import { startPlatform, type Platform } from './platform/platform.ts'
import { startWorker } from './start-worker.ts'

let platform: Platform
before(async () => {
  platform = await startPlatform()
})
after(() => platform[Symbol.asyncDispose]())

const ends = new Set<Job['status']>(['done', 'analysis_done', 'error', 'cancelled'])

/** What a person does with a service, wherever it keeps its data. */
function createPerson(send: Send) {
  const job = async (id: string) => (await send<Job>('GET', `/api/jobs/${id}`)).body
  return {
    job,
    async submit(url: string, more: Record<string, string> = {}): Promise<Job> {
      const form = { url, type: 'audio', quality: 'max', ...more }
      const { status, body } = await send<Job>('POST', '/api/submit', form)
      assert.equal(status, 200, JSON.stringify(body))
      return eventually(
        () => job(body.id),
        (now) => ends.has(now.status),
        { seconds: 60, what: 'the end of the job' },
      )
    },
    usage: async () => (await send<StorageUsage>('GET', '/api/storage')).body,
    originals: async () =>
      (await send<StorageUsage>('GET', '/api/storage')).body.kinds.find(({ kind }) => kind === 'original'),
    download: async (id: string) => (await send('GET', `/download/${id}?format=original`)).status,
    set: async (settings: object) =>
      assert.equal((await send('POST', '/api/settings', { json: settings })).status, 200),
  }
}

/** Downloads, duplicates, a budget that is reached, and what goes. */
async function live(send: Send): Promise<void> {
  const person = createPerson(send)
  const url = platform.page('sound.m4a', { id: 'one' })
  const first = await person.submit(url)
  const requests = () => platform.requests.filter((line) => line.includes('sound.m4a')).length
  const before = requests()
  const { used_bytes: used } = await person.usage()

  const again = await person.submit(url, { confirm_duplicate: 'true' })
  assert.deepEqual([again.status, again.bpm, again.audio_hash], [first.status, first.bpm, first.audio_hash])
  assert.equal(again.message, 'Finished; the file was stored already')
  const same = await person.submit(platform.page('sound.m4a', { id: 'other' }))
  assert.ok(requests() > before)
  assert.equal((await person.originals())?.files, 1)
  assert.ok((await person.usage()).used_bytes < used * 1.5)

  assert.equal((await send('POST', '/api/jobs/remove', { json: { job_ids: [first.id] } })).status, 200)
  for (const { id } of [again, same]) assert.equal(await person.download(id), 200)
  const pinned = await send<{ jobs: Job[] }>('POST', '/api/jobs/pin', { json: { job_ids: [same.id], pinned: true } })
  assert.deepEqual(
    pinned.body.jobs.map((job) => job.pinned),
    [true],
  )

  const video = await person.submit(platform.page('video.mp4', { id: 'film' }), { type: 'video' })
  const full = (await person.usage()).used_bytes
  const query = `budget_bytes=${full - 1}`
  const plan = (await send<StoragePlan>('GET', `/api/storage/preview?${query}`)).body
  assert.ok(plan.is_enough)
  assert.deepEqual([plan.shortage_bytes, plan.copies.files + plan.downloads.count > 0], [1, true])
  assert.equal((await person.usage()).used_bytes, full)

  await person.set({ storage_budget_bytes: full - (video.filesize_bytes ?? 0) })
  const gone = await eventually(
    () => person.job(video.id),
    (job) => job.message === 'The file was deleted to make room',
    { what: 'the end of the least used download' },
  )
  assert.equal(gone.filename, null)
  assert.equal(await person.download(video.id), 404)
  assert.equal(await person.download(same.id), 200)
  const log = (await send<EvictionList>('GET', '/api/storage/log')).body
  assert.ok(log.some(({ job_id, kind }) => job_id === video.id && kind === 'download'))

  await person.set({ storage_budget_bytes: 1 })
  const refused = await person.submit(platform.page('video.mp4', { id: 'no room' }), { type: 'video' })
  assert.deepEqual([refused.status, refused.error_code], ['error', 'no_room'])
  assert.match(refused.message ?? '', /no room for this: it takes about .* Raise the budget under Settings, Storage/)
  assert.equal(await person.download(same.id), 200)
  await person.set({ storage_budget_bytes: 0 })
  const retried = await send<Job>('POST', `/api/jobs/${refused.id}/retry`)
  assert.equal(retried.status, 200)
  await eventually(
    () => person.job(refused.id),
    (job) => job.status === 'done',
    { seconds: 60 },
  )
}

test('a budget is kept, duplicates share a file, and the command line tells it', { timeout: 240_000 }, async () => {
  await using folder = await temporaryDirectory()
  const data = join(folder.path, 'data')
  await using service = await startServiceProcess('media', { ...knows(platform.host), DATA_DIR: data })
  const send = await openCaller(service.url)
  await live(send)
  const space = (...args: string[]) => runCommand(['media', 'space', ...args], { DATA_DIR: data })
  const told = await space()
  assert.equal(told.code, 0, told.stderr)
  const { kinds, used_bytes } = (await send<StorageUsage>('GET', '/api/storage')).body
  const lines = [...kinds.map(({ kind, bytes, files }) => `${kind}\t${bytes}\t${files}`), `total\t${used_bytes}\t-`]
  assert.deepEqual(told.stdout.trim().split('\n'), lines)
  const preview = await space('--preview', '1K')
  assert.equal(preview.code, 0)
  assert.match(preview.stderr, /would go, which is not enough: the rest is pinned, shared or running/)
  const wrong = await space('--preview', 'much')
  assert.deepEqual([wrong.code, wrong.stdout], [1, ''])
  assert.match(wrong.stderr, /--preview: much is no number of bytes/)
})

test(
  'with PostgreSQL, two workers and object storage it is the same',
  { skip: postgresObstacle(), timeout: 300_000 },
  async () => {
    await using postgres = await startPostgres()
    await using folder = await temporaryDirectory()
    const storage = await startObjectStorage({ directory: join(folder.path, 'storage'), buckets: ['media'] })
    const shared = {
      ...knows(platform.host),
      DATABASE_URL: await postgres.createDatabase(),
      ARTIFACTS: `s3://media/home?endpoint=${storage.url}`,
      AWS_ACCESS_KEY_ID: storage.keys.id,
      AWS_SECRET_ACCESS_KEY: storage.keys.secret,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    const place = (name: string) => ({ ...shared, DATA_DIR: join(folder.path, name) })
    const workers = []
    try {
      await using service = await startServiceProcess('media', { ...place('web'), WORKERS: '0' })
      for (const name of ['one', 'two']) workers.push(await startWorker({ ...place(name), WORKERS: '1' }))
      await live(await openCaller(service.url))
    } finally {
      for (const worker of workers) {
        worker.kill('SIGTERM')
        if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit')
      }
      await storage.close()
    }
  },
)

test('a download whose content is stored already needs no room, and nothing goes for it', async () => {
  await using folder = await temporaryDirectory()
  await using service = await startServiceProcess('media', { ...knows(platform.host), DATA_DIR: folder.path })
  const person = createPerson(await openCaller(service.url))
  const first = await person.submit(platform.page('sound.m4a', { id: 'full' }))
  const { used_bytes: used } = await person.usage()
  // Room for another cover, and for no other sound.
  await person.set({ storage_budget_bytes: Math.round(used * 1.2) })
  const same = await person.submit(platform.page('sound.m4a', { id: 'full as well' }))
  assert.equal(same.status, 'analysis_done', same.message ?? '')
  for (const { id } of [first, same]) assert.equal(await person.download(id), 200)
  assert.equal((await person.usage()).reserved_bytes, 0)
})

test('a download whose size is known is forecast, and refused at once when it cannot fit', async () => {
  await using folder = await temporaryDirectory()
  const data = join(folder.path, 'data')
  await using service = await startServiceProcess('media', { ...knows(platform.host), DATA_DIR: data })
  const send = await openCaller(service.url)
  const person = createPerson(send)
  const url = platform.page('video.mp4', { id: 'stated', states: 'size' })
  const query = new URLSearchParams({ url, type: 'video', quality: 'max' }).toString()
  const forecast = async () => (await send<StorageForecast>('GET', `/api/storage/forecast?${query}`)).body
  const free = await forecast()
  assert.ok((free.bytes ?? 0) > 1000, JSON.stringify(free))
  assert.deepEqual([free.fits, free.budget_bytes], [true, 0])
  const sound = await person.submit(platform.page('sound.m4a', { id: 'old' }))
  const { used_bytes: used } = await person.usage()
  await person.set({ storage_budget_bytes: used + (free.bytes ?? 0) - 1 })
  const tight = await forecast()
  assert.deepEqual([tight.fits, tight.downloads_leaving, tight.free_bytes], [true, 1, (free.bytes ?? 0) - 1])
  await send('POST', '/api/jobs/pin', { json: { job_ids: [sound.id], pinned: true } })
  assert.equal((await forecast()).fits, false)
  const refused = await send<{ detail: string; error: string }>('POST', '/api/submit', {
    url,
    type: 'video',
    quality: 'max',
  })
  assert.deepEqual([refused.status, refused.body.error], [503, 'no_room'])
  assert.match(refused.body.detail, /There is no room for this: it takes about .* unpin or delete downloads/)
  assert.equal((await send<Job[]>('GET', '/api/jobs')).body.length, 1)
  assert.deepEqual(await readdir(join(data, 'work')), [])
  const invalid = await send<{ detail: string }>('GET', '/api/storage/preview?budget_bytes=much')
  assert.deepEqual([invalid.status, invalid.body.detail], [400, 'budget_bytes must be a number'])
})

test('while the disk with the stored files is missing, nothing is stored in its place', async () => {
  await using folder = await temporaryDirectory()
  const [data, disk, away] = ['data', 'disk', 'away'].map((name) => join(folder.path, name)) as [string, string, string]
  await using service = await startServiceProcess('media', {
    ...knows(platform.host),
    DATA_DIR: data,
    ARTIFACTS: disk,
  })
  const send = await openCaller(service.url)
  const person = createPerson(send)
  const first = await person.submit(platform.page('sound.m4a', { id: 'before' }))
  const form = { url: platform.page('sound.m4a', { id: 'meanwhile' }), type: 'audio', quality: 'max' }

  await rename(disk, away)
  await mkdir(disk)
  const refused = await send<{ detail: string; error: string }>('POST', '/api/submit', form)
  assert.deepEqual([refused.status, refused.body.error], [503, 'storage_missing'])
  assert.match(refused.body.detail, /disk with the stored files is missing/)
  assert.equal((await person.usage()).is_missing, true)
  assert.deepEqual(await readdir(disk), [])

  await rmdir(disk)
  await rename(away, disk)
  assert.equal((await person.submit(form.url)).status, 'analysis_done')
  assert.equal(await person.download(first.id), 200)
  assert.equal((await send('POST', '/api/storage/accept')).status, 409)

  await rename(disk, away)
  await mkdir(disk)
  const accepted = await send<StorageUsage>('POST', '/api/storage/accept')
  assert.deepEqual([accepted.status, accepted.body.is_missing, accepted.body.used_bytes], [200, false, 0])
  const anew = await person.submit(platform.page('sound.m4a', { id: 'anew' }))
  assert.equal(anew.status, 'analysis_done')

  // Somebody deleted the files; the disk is there.
  await rm(join(disk, anew.id), { recursive: true })
  assert.equal((await person.submit(platform.page('sound.m4a', { id: 'after' }))).status, 'analysis_done')
})
