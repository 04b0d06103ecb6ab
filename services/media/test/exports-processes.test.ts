import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  eventually,
  postgresObstacle,
  readEvents,
  startPostgres,
  startServiceProcess,
  temporaryDirectory,
} from '@hearth/testing'
import type { Export } from '../src/exports/schema.ts'
import type { Job } from '../src/jobs/schema.ts'
import { emptyContent, type Workbench } from '../src/workbench/schema.ts'
import { knows } from './in-process.ts'
import { startObjectStorage } from './object-storage/object-storage.ts'
import { openCaller } from './open-caller.ts'
import { startPlatform } from './platform/platform.ts'
import { startWorker } from './start-worker.ts'

const plan = {
  parts: Array.from({ length: 4 }, (_, index) => ({ name: '', start: index / 10, end: 10 + index / 10 })),
  format: 'flac',
  tempo_percent: 93,
}

test(
  'with PostgreSQL, object storage and several workers, of which some are killed, every export is made once',
  { skip: postgresObstacle(), timeout: 240_000 },
  async () => {
    await using postgres = await startPostgres()
    await using platform = await startPlatform()
    await using folder = await temporaryDirectory()
    const storage = await startObjectStorage({ directory: join(folder.path, 'storage'), buckets: ['media'] })
    const shared = {
      ...knows(platform.host),
      DATABASE_URL: await postgres.createDatabase(),
      ARTIFACTS: `s3://media/home?endpoint=${storage.url}`,
      AWS_ACCESS_KEY_ID: storage.keys.id,
      AWS_SECRET_ACCESS_KEY: storage.keys.secret,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      LEASE_SECONDS: '4',
      LOG_LEVEL: 'fatal',
    }
    const place = (name: string) => ({ ...shared, DATA_DIR: join(folder.path, name) })
    const workers: ChildProcess[] = []
    try {
      await using first = await startServiceProcess('media', { ...place('web-1'), WORKERS: '0' })
      await using second = await startServiceProcess('media', { ...place('web-2'), WORKERS: '0' })
      const [one, two] = [await openCaller(first.url), await openCaller(second.url)]
      const controller = new AbortController()
      const stream = await fetch(`${second.url}/events`, { signal: controller.signal })
      const events: Record<string, unknown>[] = []
      const reading = (async () => {
        assert.ok(stream.body !== null)
        for await (const event of readEvents<Record<string, unknown>>(stream.body)) events.push(event)
      })().catch(() => undefined)
      workers.push(await startWorker({ ...place('worker-1'), WORKERS: '1' }))
      const { body: job } = await one<Job>('POST', '/api/submit', {
        url: platform.page('sound.m4a'),
        type: 'audio',
        quality: 'max',
      })
      await eventually(
        async () => (await one<Job>('GET', `/api/jobs/${job.id}`)).body.status,
        (status) => status === 'analysis_done',
        { seconds: 90, everyMs: 300 },
      )
      const list = async () => (await two<Export[]>('GET', `/api/jobs/${job.id}/exports`)).body
      for (let index = 0; index < 5; index += 1)
        assert.equal(
          (await (index % 2 === 0 ? one : two)('POST', `/api/jobs/${job.id}/exports`, { json: plan })).status,
          202,
        )
      await eventually(list, (all) => all.some(({ status, progress }) => status === 'running' && progress > 0), {
        seconds: 60,
        everyMs: 20,
      })
      workers[0]?.kill('SIGKILL')
      await once(workers[0]!, 'exit')
      workers.push(
        await startWorker({ ...place('worker-2'), WORKERS: '1' }),
        await startWorker({ ...place('worker-3'), WORKERS: '1' }),
      )
      const all = await eventually(list, (made) => made.every(({ status }) => status === 'done'), {
        seconds: 120,
        everyMs: 300,
      })
      assert.deepEqual(
        all.map(({ files }) => files.length),
        [4, 4, 4, 4, 4],
      )
      for (const { id } of all)
        assert.equal((await one('GET', `/api/jobs/${job.id}/exports/${id}/files/4`)).status, 200)
      // Both web processes tell of what the workers do.
      await eventually(
        () =>
          Promise.resolve(events.filter(({ type, status }) => type === 'export_changed' && status === 'done').length),
        (count) => count === 5,
      )
      // Of two changes from the same revision, through two processes, one is taken.
      const change = { json: { revision: 0, ...emptyContent } }
      const answers = await Promise.all(
        [one, two].map((send) => send<Workbench>('PUT', `/api/jobs/${job.id}/workbench`, change)),
      )
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 409],
      )
      controller.abort()
      await reading
    } finally {
      for (const worker of workers) worker.kill('SIGKILL')
      await storage.close()
    }
  },
)
