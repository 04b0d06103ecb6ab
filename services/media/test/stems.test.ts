import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually, readEvents } from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import type { Statistics } from '../src/statistics/schema.ts'
import type { StemResult, StemStatus } from '../src/stems/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { finishedJob } from './job-row.ts'
import { startPlatform, type Platform } from './platform/platform.ts'
import { startStemService, type StemService } from './stem-service/stem-service.ts'
import { tonesOf, writeTones } from './stem-service/tones.ts'

const key = 'KEY-7f3a9c2e51d84b60'
const account = { email: 'someone@example.org', activation_key: key }
const seconds = 12

interface ErrorBody {
  detail: string
  error?: string
}

describe('stems', () => {
  let platform: Platform
  let stems: StemService
  let media: Media
  let sound: Job
  let video: Job

  before(async () => {
    ;[platform, stems] = await Promise.all([startPlatform(), startStemService()])
    const environment = { ...knows(platform.host), STEMSVC_BASE_URL: stems.url, LEASE_SECONDS: '3600' }
    // Ten times as fast as the clock: the service is asked every half second.
    media = await startMedia(environment, { timers: createFastTimers(10) })
    stems.script.progress = [50]
    // Its minutes are not as short as ours.
    stems.script.checksPerMinute = 10_000
    stems.account(key).minutes = 100
    ;[sound, video] = await Promise.all([fetchSound(), newVideo()])
  })
  after(async () => {
    await media[Symbol.asyncDispose]()
    await stems.close()
    await platform[Symbol.asyncDispose]()
  })

  /** Gives a job a sound with one tone in the middle and another one at the sides. */
  async function storeTones(jobId: string): Promise<void> {
    const [wav, m4a] = [join(media.folder, `${jobId}.wav`), join(media.folder, `${jobId}.m4a`)]
    await writeTones(wav, seconds)
    const words = ['-v', 'error', '-y', '-i', wav, '-c:a', 'aac', '-b:a', '96k', m4a]
    assert.equal(spawnSync('ffmpeg', words).status, 0)
    await media.service.app.core.artifacts.put(jobId, 'source.m4a', m4a)
  }

  async function fetchSound(): Promise<Job> {
    const submitted = await media.submit(platform.page('sound.m4a', { title: 'Voices' }))
    const job = await media.reach(submitted.id, 'analysis_done')
    await storeTones(job.id)
    return job
  }

  /** A finished job that nobody had to wait for. */
  async function newSound(): Promise<string> {
    const job = finishedJob({ duration_ms: seconds * 1000 })
    await media.service.app.core.database.query.insertInto('jobs').values(job).execute()
    await storeTones(job.id)
    return job.id
  }

  async function newVideo(): Promise<Job> {
    const { id } = await media.submit(platform.page('video.mp4', { id: 'video' }), { type: 'video' })
    return media.reach(id, 'done')
  }

  const status = async (query = '') => (await media.json<StemStatus>('GET', `/api/stemsvc/status${query}`)).body
  const signIn = (json: unknown = account) =>
    media.json<ErrorBody>('POST', '/api/stemsvc/auth/activation-key', { json })
  const signOut = () => media.json('POST', '/api/stemsvc/auth/logout')
  const separate = (id: string, query = 'stem=vocals') =>
    media.json<StemResult & ErrorBody>('POST', `/api/stemsvc/${id}?${query}`)
  const download = (id: string, query: string) => media.call('GET', `/api/stemsvc/download/${id}?${query}`)
  const trim = async (id: string, start: number, end: number) => {
    const { body } = await media.json<{ trim_id: string }>('POST', `/api/trim/${id}`, { json: { start, end } })
    return body.trim_id
  }
  /** Keeps the service from beginning the next task until it is told to. */
  function hold(path = 'split/stem_separator', count = 1): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    stems.fail(path, ...Array.from({ length: count }, () => ({ waitFor: promise })))
    return resolve
  }
  const whenAsked = async (path: string, count = 1) => {
    const before = stems.calls.length
    return eventually(
      () => stems.calls.slice(before).filter((call) => call.path.includes(path)).length,
      (seen) => seen >= count,
      { what: path },
    )
  }
  /** Tones of a stem as it is delivered. */
  async function listenTo(id: string, query: string) {
    const file = join(media.folder, 'heard.mp3')
    await writeFile(file, Buffer.from(await (await download(id, query)).arrayBuffer()))
    return tonesOf(file)
  }

  test('without a key nothing starts and nothing is requested', async () => {
    const { status: code, body } = await separate(sound.id)
    assert.deepEqual([code, body.error], [400, 'no-key'])
    assert.equal(stems.calls.length, 0)
    assert.equal((await signIn()).status, 200)
  })

  test('a file that cannot be separated is refused with the reason, at no cost', async () => {
    const held = await media.submit(platform.page('sound.m4a', { id: 'held', pace: 'held' }))
    const { query } = media.service.app.core.database
    for (const [id, text, code, reason] of [
      [randomUUID(), 'stem=drums', 400, /^stem must be one of vocals, instrumental$/],
      [sound.id, '', 400, /^stem must be one of vocals, instrumental$/],
      [randomUUID(), 'stem=vocals', 404, /no such job/],
      [held.id, 'stem=vocals', 400, /^Only a finished job/],
      [video.id, 'stem=vocals', 400, /^Only audio jobs/],
      [sound.id, 'stem=vocals&trimmed=true', 400, /there is no trim/],
      [sound.id, 'stem=vocals&trimmed=true&trim_id=1_2000', 404, /no such trim/],
      [sound.id, 'stem=vocals&trim_id=..', 400, /^trim_id must be/],
    ] as const) {
      const { status: code2, body } = await separate(id, text)
      assert.equal(code2, code, `${text}: ${body.detail}`)
      assert.match(body.detail, reason)
    }
    await query.updateTable('jobs').set({ duration_ms: 600_001 }).where('id', '=', sound.id).execute()
    const long = await separate(sound.id)
    assert.deepEqual([long.status, long.body.error], [400, 'exceeded-duration'])
    await query
      .updateTable('jobs')
      .set({ duration_ms: seconds * 1000 })
      .where('id', '=', sound.id)
      .execute()
    stems.account(key).minutes = 0.1
    const poor = await separate(sound.id)
    assert.deepEqual([poor.status, poor.body.error], [400, 'out-of-minutes'])
    stems.account(key).minutes = 100
    for (const text of ['stem=vocals', 'stem=instrumental', 'stem=vocals&trimmed=1'])
      assert.equal((await download(sound.id, text)).status, 404)
    await media.call('POST', `/api/jobs/${held.id}/cancel`)
    platform.release()
    assert.equal(stems.payments.length, 0)
  })

  test('vocals and instrumental come from one separation, whose progress can be followed', async () => {
    const controller = new AbortController()
    const events: Record<string, unknown>[] = []
    const stream = await fetch(`${media.url}/api/jobs/${sound.id}/events`, { signal: controller.signal })
    const listening = (async () => {
      for await (const event of readEvents<Record<string, unknown>>(stream.body!)) events.push(event)
    })().catch(() => undefined)
    stems.script.progress = [0, 60]
    const { status: code, body } = await separate(sound.id)
    stems.script.progress = [50]
    assert.equal(code, 200, body.detail)
    assert.equal(body.cached, false)
    assert.match(body.filename, /^Voices.*bpm_vocals\.mp3$/)
    assert.equal(body.download_url, `/api/stemsvc/download/${sound.id}?stem=vocals`)
    assert.equal(body.trim_id, undefined)

    const file = await media.call('GET', body.download_url)
    assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'audio/mpeg'])
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename=".*_vocals\.mp3"/)
    await file.arrayBuffer()
    const vocals = await listenTo(sound.id, 'stem=vocals')
    assert.ok(
      vocals.middle > 0.8 && vocals.side < 0.1 && Math.abs(vocals.seconds - seconds) < 0.3,
      JSON.stringify(vocals),
    )

    const second = await separate(sound.id, 'stem=instrumental')
    assert.deepEqual([second.status, second.body.cached], [200, true])
    const instrumental = await listenTo(sound.id, 'stem=instrumental')
    assert.ok(instrumental.side > 0.8 && instrumental.middle < 0.1, JSON.stringify(instrumental))
    assert.deepEqual([stems.payments.length, stems.sourceCount], [1, 0])
    // It went there as WAV, under a name that tells nothing.
    const upload = stems.calls.find(({ path }) => path.endsWith('/upload/'))
    assert.match(upload?.headers['content-disposition'] ?? '', new RegExp(`filename="${sound.id}\\.wav"`))

    await eventually(
      () => events.at(-1)?.['stage'],
      (stage) => stage === 'done',
    )
    controller.abort()
    await listening
    const progress = events.filter(({ type }) => type === 'stem_progress')
    const stages = [...new Set(progress.map(({ stage }) => stage))]
    assert.deepEqual([stages[0], stages.includes('processing'), stages.at(-1)], ['upload', true, 'done'])
    for (const event of progress) assert.equal(event['job_id'], sound.id)
    const { body: figures } = await media.json<Statistics>('GET', '/api/stats')
    assert.equal(figures.total_stem_minutes, seconds / 60)
  })

  test('a trim is separated on its own', async () => {
    const one = await trim(sound.id, 1, 4)
    const { status: code, body } = await separate(sound.id, 'stem=vocals&trimmed=true')
    assert.equal(code, 200, body.detail)
    assert.deepEqual([body.cached, body.trim_id], [false, one])
    assert.match(body.filename, /_trimmed_vocals\.mp3$/)
    assert.equal(body.download_url, `/api/stemsvc/download/${sound.id}?stem=vocals&trimmed=true&trim_id=${one}`)
    assert.ok(Math.abs((await listenTo(sound.id, `stem=vocals&trimmed=true`)).seconds - 3) < 0.2)
    const other = await trim(sound.id, 2, 6)
    const several = await separate(sound.id, 'stem=vocals&trimmed=true')
    assert.deepEqual([several.status, several.body.detail.startsWith('trim_id must say which')], [400, true])
    assert.equal((await separate(sound.id, `stem=vocals&trim_id=${other}`)).body.trim_id, other)
    assert.equal((await download(sound.id, 'stem=vocals&trimmed=true')).status, 400)
    assert.equal((await separate(sound.id, `stem=instrumental&trimmed=true&trim_id=${one}`)).body.cached, true)
    assert.equal(stems.payments.length, 3)
  })

  test('one separation per trim and two in total run at a time', async () => {
    const parts = [await trim(sound.id, 0, 2), await trim(sound.id, 0, 3), await trim(sound.id, 0, 4)]
    const ask = (part: string | undefined) => separate(sound.id, `stem=vocals&trim_id=${part}`)
    const go = hold('split/stem_separator', 2)
    const asked = whenAsked('stem_separator', 2)
    const [first, second] = [ask(parts[0]), ask(parts[1])]
    await asked
    assert.equal((await ask(parts[0])).status, 409)
    const answer = await media.call('POST', `/api/stemsvc/${sound.id}?stem=vocals&trim_id=${parts[2]}`)
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5'])
    go()
    assert.deepEqual([(await first).status, (await second).status], [200, 200])
    assert.equal((await ask(parts[2])).status, 200)
    assert.equal(stems.payments.length, 6)
  })

  test('failures of the service are reported; a paid separation is resumed', async () => {
    const part = await trim(sound.id, 5, 7)
    const ask = () => separate(sound.id, `stem=vocals&trim_id=${part}`)
    const paid = stems.payments.length
    stems.fail('check', { answer: 403, body: { detail: 'unknown key' } })
    const refused = await ask()
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid-key'])
    assert.equal((await ask()).status, 200)
    assert.equal(stems.payments.length, paid + 1)

    const other = await trim(sound.id, 5, 8)
    stems.script.taskErrors.push({ code: 'inference_error', detail: `no voice ${key}` })
    const failed = await separate(sound.id, `stem=vocals&trim_id=${other}`)
    assert.deepEqual([failed.status, failed.body.detail], [502, 'The stem service could not separate this audio'])
    const { query } = media.service.app.core.database
    const rows = await query.selectFrom('stem_splits').selectAll().where('variant', '=', other).execute()
    assert.deepEqual([rows[0]?.status, rows[0]?.record, rows[0]?.lease_until], ['failed', 'null', null])
    assert.equal((await separate(sound.id, `stem=vocals&trim_id=${other}`)).status, 200)
  })

  test('stopping the service costs nothing: the separation resumes on request', async () => {
    const id = await newSound()
    const paid = stems.payments.length
    stems.script.progress = Array.from({ length: 500 }, () => 50)
    const asked = whenAsked('check')
    const waiting = separate(id)
    await asked
    await media.restart()
    const { status: code, body } = await waiting
    assert.equal(code, 503, body.detail)
    assert.equal(stems.tasks.at(-1)?.isCancelled, false)
    stems.script.progress = []
    assert.equal((await separate(id)).status, 200)
    assert.deepEqual([stems.payments.length, stems.calls.at(-1)?.path], [paid + 1, '/api/v1/delete/'])
    assert.ok((await listenTo(id, 'stem=vocals')).middle > 0.8)
    stems.script.progress = [50]
  })

  test('a replaced file gets new stems', async () => {
    const id = await newSound()
    assert.equal((await separate(id)).status, 200)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const m4a = join(media.folder, 'again.m4a')
    await writeFile(m4a, readFileSync(join(media.folder, 'artifacts', id, 'source.m4a')))
    await media.service.app.core.artifacts.put(id, 'source.m4a', m4a)
    assert.equal((await download(id, 'stem=vocals')).status, 404)
    assert.equal((await separate(id)).body.cached, false)
    assert.equal((await download(id, 'stem=vocals')).status, 200)
  })

  test('signing out keeps the stems and removes the account', async () => {
    assert.equal((await signOut()).status, 200)
    assert.equal((await status()).configured, false)
    assert.equal((await separate(sound.id)).body.cached, true)
    const { status: code, body } = await separate(sound.id, 'stem=vocals&trimmed=true')
    assert.deepEqual([code, body.error], [400, 'no-key'])
    assert.equal((await signIn()).status, 200)
  })

  test('deleting jobs cancels their separations, also at the service', async () => {
    const id = await newSound()
    stems.script.progress = Array.from({ length: 500 }, () => 50)
    const asked = whenAsked('check')
    const waiting = separate(id)
    await asked
    assert.equal((await media.call('POST', '/api/jobs/remove-all')).status, 200)
    assert.equal((await waiting).status, 404)
    assert.deepEqual([stems.tasks.at(-1)?.isCancelled, stems.sourceCount], [true, 0])
    const { artifacts, scratch } = media.service.app.core
    assert.deepEqual(await artifacts.list(id), [])
    assert.equal(spawnSync('find', [scratch, '-type', 'f']).stdout.toString(), '')
  })
})
