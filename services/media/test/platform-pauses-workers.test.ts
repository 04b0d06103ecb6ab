import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, postgresObstacle, startPostgres, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { PlatformHealth } from '../src/health/schema.ts'
import type { Job } from '../src/jobs/schema.ts'
import { knows } from './in-process.ts'
import { openCaller } from './open-caller.ts'
import { startPlatform } from './platform/platform.ts'
import { startWorker } from './start-worker.ts'

test(
  'workers of one installation pause a platform together, try one job, and lose none when the one that tries is killed',
  { skip: postgresObstacle(), timeout: 240_000 },
  async () => {
    await using postgres = await startPostgres()
    await using platform = await startPlatform()
    await using folder = await temporaryDirectory()
    const shared = {
      ...knows(platform.host),
      DATABASE_URL: await postgres.createDatabase(),
      ARTIFACTS: join(folder.path, 'artifacts'),
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      LEASE_SECONDS: '4',
      LOG_LEVEL: 'error',
    }
    const place = (name: string) => ({ ...shared, DATA_DIR: join(folder.path, name) })
    await using web = await startServiceProcess('media', { ...place('web'), WORKERS: '0' })
    const send = await openCaller(web.url)
    const health = async () => (await send<PlatformHealth[]>('GET', '/api/platforms')).body[0]!
    const pages = () => platform.requests.filter((line) => line.startsWith('GET /watch')).length
    const workers: ChildProcess[] = []
    const start = async (name: string) => workers.push(await startWorker({ ...place(name), WORKERS: '1' }))
    try {
      platform.treat('refused')
      await Promise.all(['worker-1', 'worker-2'].map(start))
      const submit = async (id: string) => {
        const form = { url: platform.page('sound.m4a', { id }), type: 'audio', quality: 'max' }
        return (await send<Job>('POST', '/api/submit', form)).body.id
      }
      const ids = [await submit('a')]
      await eventually(health, ({ pause }) => pause !== null, { everyMs: 200 })
      for (const id of ['b', 'c', 'd']) ids.push(await submit(id))
      const asked = pages()
      // Both workers take several messages meanwhile; no job of the platform begins.
      await eventually(health, ({ waiting }) => waiting === 4, { everyMs: 200 })
      platform.treat('held')
      await send('POST', '/api/platforms/youtube/try')
      await eventually(
        () => platform.waiting,
        (count) => count > 0,
      )
      assert.deepEqual([pages(), (await health()).pause?.is_probing], [asked + 1, true], 'one job is tried')
      for (const worker of workers.splice(0)) {
        worker.kill('SIGKILL')
        await once(worker, 'exit')
      }
      platform.treat('answered')
      await Promise.all(['worker-3', 'worker-4'].map(start))
      const all = await eventually(
        async () => (await send<Job[]>('GET', '/api/jobs')).body,
        (jobs) => jobs.every(({ status }) => status === 'analysis_done'),
        { seconds: 90, everyMs: 500 },
      )
      assert.deepEqual(all.map(({ id }) => id).toSorted(), ids.toSorted())
      assert.equal((await health()).pause, null)
    } finally {
      for (const worker of workers) {
        worker.kill('SIGTERM')
        if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit')
      }
    }
  },
)
