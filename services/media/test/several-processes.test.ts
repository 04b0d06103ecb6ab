import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, postgresObstacle, startPostgres, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import { csrfCookie } from '../src/accounts/csrf.ts'
import { knows } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'
import { startWorker } from './start-worker.ts'

/** A browser of one of the web processes, with an address for each call. */
async function openBrowser(url: string) {
  let calls = 0
  const address = () => `10.9.${(calls >> 8) & 255}.${++calls & 255}`
  const response = await fetch(`${url}/api/session`, { headers: { 'x-forwarded-for': address() } })
  const token = new RegExp(`${csrfCookie}=([^;]+)`).exec(response.headers.getSetCookie().join(';'))?.[1] ?? ''
  return {
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the shape is the caller's knowledge
    async send<T>(method: string, path: string, form?: Record<string, string>): Promise<{ status: number; body: T }> {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { 'x-forwarded-for': address(), 'x-csrf-token': token, cookie: `${csrfCookie}=${token}` },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      })
      return { status: answer.status, body: (await answer.json()) as never }
    },
    /** Everything the stream says until it is stopped. */
    async listen() {
      const controller = new AbortController()
      const events: Record<string, unknown>[] = []
      const stream = await fetch(`${url}/events`, {
        signal: controller.signal,
        headers: { 'x-forwarded-for': address() },
      })
      const reading = (async () => {
        let rest = ''
        for await (const text of stream.body!.pipeThrough(new TextDecoderStream())) {
          const parts = (rest + text).split('\n\n')
          rest = parts.pop() ?? ''
          for (const part of parts) {
            const data = /^data: (.*)$/m.exec(part)?.[1]
            if (data !== undefined) events.push(JSON.parse(data) as Record<string, unknown>)
          }
        }
      })().catch(() => undefined)
      return {
        events,
        async [Symbol.asyncDispose]() {
          controller.abort()
          await reading
        },
      }
    },
  }
}

test(
  'two web processes and three workers, some killed, lose and duplicate no job',
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
    await using first = await startServiceProcess('media', { ...place('web-1'), WORKERS: '0' })
    await using second = await startServiceProcess('media', { ...place('web-2'), WORKERS: '0' })
    const [one, two] = [await openBrowser(first.url), await openBrowser(second.url)]
    await using heardByOne = await one.listen()
    await using heardByTwo = await two.listen()
    const workers = new Map<string, ChildProcess>()
    const start = async (name: string) => workers.set(name, await startWorker({ ...place(name), WORKERS: '1' }))
    try {
      await Promise.all(['worker-1', 'worker-2', 'worker-3'].map(start))
      const ids: string[] = []
      const ends = new Set<string>(['analysis_done', 'done', 'error', 'cancelled'])
      const settled = (besides = 0) =>
        eventually(
          async () => (await one.send<Job[]>('GET', '/api/jobs?limit=100')).body,
          (jobs) => jobs.slice(besides).every(({ status }) => ends.has(status)),
          { seconds: 120, everyMs: 500 },
        )
      for (let index = 0; index < 12; index++) {
        const url = platform.page('sound.m4a', { id: `${index}`, ...(index % 3 === 0 ? { pace: 'slow' } : {}) })
        const { status, body } = await (index % 2 === 0 ? one : two).send<Job>('POST', '/api/submit', {
          url,
          type: 'audio',
          quality: 'max',
        })
        assert.equal(status, 200, JSON.stringify(body))
        ids.push(body.id)
        // Whoever works now is killed with what it has, and another one is started in its place. A job that loses two workers
        // in a row is given up, so the next one is killed when those of this round are done.
        if (index % 4 === 3) {
          await settled(4)
          const name = `worker-${(index % 3) + 1}`
          const worker = workers.get(name)
          worker?.kill('SIGKILL')
          await once(worker!, 'exit')
          await start(name)
        }
      }
      const all = await settled()
      assert.deepEqual(
        all.map(({ id, status, bpm }) => `${id} ${status} ${bpm}`).toSorted(),
        ids.map((id) => `${id} analysis_done 120`).toSorted(),
      )
      assert.deepEqual((await two.send('GET', '/api/jobs?limit=100')).body, all)
      for (const { events } of [heardByOne, heardByTwo]) {
        const ended = () => events.filter((event) => event['status'] === 'analysis_done').map((event) => event['id'])
        await eventually(ended, (heard) => heard.length >= ids.length)
        assert.deepEqual(new Set(ended()), new Set(ids))
        assert.equal(ended().length, ids.length)
      }
      // What happens to one job is heard in the same order everywhere.
      const story = (events: Record<string, unknown>[], id: string) =>
        events
          .filter((event) => event['id'] === id)
          .map((event) => `${String(event['seq'])} ${String(event['status'])}`)
      for (const id of ids) assert.deepEqual(story(heardByOne.events, id), story(heardByTwo.events, id))

      // A job that is worked on elsewhere is stopped from any web process, within two seconds.
      const held = await one.send<Job>('POST', '/api/submit', {
        url: platform.page('video.mp4', { pace: 'held', id: 'held' }),
        type: 'audio',
        quality: 'max',
      })
      const state = async () => (await one.send<Job>('GET', `/api/jobs/${held.body.id}`)).body.status
      await eventually(state, (status) => status === 'downloading', { seconds: 30 })
      assert.equal((await two.send<Job>('POST', `/api/jobs/${held.body.id}/cancel`)).body.status, 'cancelled')
      await eventually(
        () => platform.waiting,
        (count) => count === 0,
      )
    } finally {
      for (const worker of workers.values()) {
        worker.kill('SIGTERM')
        if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit')
      }
    }
    assert.deepEqual(
      [...workers.values()].map(({ exitCode }) => exitCode),
      [0, 0, 0],
    )
  },
)
