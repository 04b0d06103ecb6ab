import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, utimesSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Job } from '../src/jobs/schema.ts'
import type { Trim, TrimList } from '../src/trims/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

interface ErrorBody {
  detail: string
}

describe('trims', () => {
  let platform: Platform
  let media: Media
  let sound: Job
  let opus: Job
  let video: Job

  before(async () => {
    platform = await startPlatform()
    media = await startMedia(knows(platform.host))
    const jobs = await Promise.all([
      media.submit(platform.page('sound.m4a', { title: 'Beat & more' })),
      media.submit(platform.page('sound.opus', { id: 'opus' })),
      media.submit(platform.page('video.mp4', { id: 'video' }), { type: 'video' }),
    ])
    const ends = jobs.map(({ id, type }) => media.reach(id, type === 'audio' ? 'analysis_done' : 'done'))
    ;[sound, opus, video] = (await Promise.all(ends)) as [Job, Job, Job]
  })
  after(async () => {
    await media[Symbol.asyncDispose]()
    await platform[Symbol.asyncDispose]()
  })

  const make = (id: string, json: unknown) => media.json<Trim & ErrorBody>('POST', `/api/trim/${id}`, { json })
  const list = async (id: string) => (await media.json<TrimList>('GET', `/api/trim/${id}`)).body
  const download = (id: string, trimId: string) => media.call('GET', `/api/trim/${id}/${trimId}/download`)

  /** Changes when a file counts as put. */
  const setPutAt = (id: string, name: string, put_at: number) =>
    media.service.app.core.database.query
      .updateTable('artifacts')
      .set({ put_at })
      .where('job_id', '=', id)
      .where('name', '=', name)
      .execute()

  /** The samples of a job's source, as ffmpeg decodes it from the beginning. */
  function samplesOf({ id }: Job): Buffer {
    const folder = join(media.folder, 'artifacts', id)
    const file = join(
      folder,
      readdirSync(folder).find((name) => name.startsWith('source.'))!,
    )
    const words = ['-v', 'error', '-i', file, '-f', 's16le', '-c:a', 'pcm_s16le', '-']
    return spawnSync('ffmpeg', words, { maxBuffer: 1 << 26 }).stdout
  }

  test('a section is cut to the sample, stored, and delivered as WAV with the tempo in its name', async () => {
    const made = await make(sound.id, { start: 2.0004, end: 5.25 })
    const file = 'Beat & more (1)_120bpm_trimmed.wav'
    assert.deepEqual(made, {
      status: 200,
      body: { ok: true, cached: false, trim_id: '2000_5250', duration: 3.25, file },
    })
    const answer = await download(sound.id, '2000_5250')
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'audio/wav')
    assert.ok(answer.headers.get('content-disposition')?.includes(`filename*=UTF-8''${encodeURIComponent(file)}`))
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    const wav = Buffer.from(await answer.arrayBuffer())
    assert.equal(wav.toString('latin1', 0, 4), 'RIFF')
    const whole = samplesOf(sound)
    const bytes = wav.readUInt16LE(32)
    assert.ok(wav.subarray(44).equals(whole.subarray(88_200 * bytes, Math.round(5.25 * 44_100) * bytes)))
    assert.equal((await make(sound.id, { start: 2, end: 5.25 })).body.cached, true)
  })

  test('a section of audio with another sample rate is cut the same way', async () => {
    const { body } = await make(opus.id, { start: 0.5, end: 2.001 })
    const wav = Buffer.from(await (await download(opus.id, body.trim_id)).arrayBuffer())
    const bytes = wav.readUInt16LE(32)
    assert.equal(wav.readUInt32LE(24), 48_000)
    assert.ok(wav.subarray(44).equals(samplesOf(opus).subarray(24_000 * bytes, 96_048 * bytes)))
  })

  test('a range of the file can be requested', async () => {
    const answer = await media.call('GET', `/api/trim/${sound.id}/2000_5250/download`, {
      headers: { range: 'bytes=0-3' },
    })
    assert.deepEqual([answer.status, await answer.text()], [206, 'RIFF'])
  })

  test('an impossible cut is refused with the first applicable reason', async () => {
    const unknown = randomUUID()
    for (const [id, json, status, reason] of [
      [unknown, { start: 3, end: 2 }, 400, /^end must lie after start$/],
      [unknown, { start: 2, end: 2.0004 }, 400, /^end must lie after start$/],
      [unknown, { start: 2, end: 2.9994 }, 400, /^end must lie at least 1 second after start$/],
      [unknown, { start: 0, end: 600.001 }, 400, /^end must lie at most 600 seconds after start$/],
      [unknown, { start: 0, end: 2 }, 404, /no such job/],
      ['not-a-job', { start: 0, end: 2 }, 404, /no such job/],
      [video.id, { start: 0, end: 99 }, 400, /audio.*video/],
      [sound.id, { start: 2, end: 12.5 }, 400, /^end lies beyond the end of the track, which has 12\.\d{3} seconds$/],
      [sound.id, { start: 1 }, 400, /^end must be a number/],
      [sound.id, { start: -1, end: 2 }, 400, /^start /],
      [sound.id, { start: '1', end: 2 }, 400, /^start must be a number/],
      [sound.id, { start: 1, end: 3, loud: true }, 400, /^loud /],
    ] as const) {
      const answer = await make(id, json)
      assert.equal(answer.status, status, `${JSON.stringify(json)}: ${answer.body.detail}`)
      assert.match(answer.body.detail, reason)
    }
    const infinite = await media.call('POST', `/api/trim/${sound.id}`, {
      upload: '',
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(infinite.status, 400)
  })

  test('an unfinished job has no trims', async () => {
    const { id } = await media.submit(platform.page('sound.m4a', { id: 'held', pace: 'held' }))
    const { status, body } = await make(id, { start: 0, end: 2 })
    assert.equal(status, 400)
    assert.match(body.detail, /^Only a finished job can be trimmed, and this one is /)
    assert.deepEqual(await list(id), [])
    await media.call('POST', `/api/jobs/${id}/cancel`)
    platform.release()
  })

  test('simultaneous requests for a section cut it once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => make(sound.id, { start: 0, end: 11 })))
    const made = answers.filter(({ status }) => status === 200)
    assert.equal(made.filter(({ body }) => !body.cached).length, 1)
    for (const { status, body } of answers)
      if (status !== 200) assert.deepEqual([status, /being cut already/.test(body.detail)], [409, true])
    assert.equal((await make(sound.id, { start: 0, end: 11 })).body.cached, true)
  })

  test('trims are listed by start time and deleted individually or together', async () => {
    await make(sound.id, { start: 1, end: 4 })
    assert.deepEqual(
      (await list(sound.id)).map(({ trim_id, start, end, duration }) => [trim_id, start, end, duration]),
      [
        ['0_11000', 0, 11, 11],
        ['1000_4000', 1, 4, 3],
        ['2000_5250', 2, 5.25, 3.25],
      ],
    )
    const remove = async (query: string) => (await media.json('DELETE', `/api/trim/${sound.id}${query}`)).body
    assert.deepEqual(await remove('?trim_id=1000_4000'), { ok: true, deleted: 1 })
    assert.deepEqual(await remove('?trim_id=1000_4000'), { ok: true, deleted: 0 })
    assert.equal((await download(sound.id, '1000_4000')).status, 404)
    assert.deepEqual(await remove(''), { ok: true, deleted: 2 })
    assert.deepEqual(await list(sound.id), [])
    // The sound itself is still there.
    assert.equal((await media.call('GET', `/audio-source/${sound.id}`)).status, 200)
    for (const id of [randomUUID(), 'not-a-job'])
      assert.deepEqual((await media.json('DELETE', `/api/trim/${id}`)).body, { ok: true, deleted: 0 })
  })

  test('an unknown trim is not found, and a malformed id is refused', async () => {
    assert.equal((await download(sound.id, '5_2000')).status, 404)
    assert.equal((await download(randomUUID(), '5_2000')).status, 404)
    assert.equal((await media.call('GET', `/api/trim/${randomUUID()}`)).status, 404)
    for (const trimId of ['source.m4a', '..%2fx', '1-2', '_', '1_2_3']) {
      assert.equal((await download(sound.id, trimId)).status, 400, trimId)
      assert.equal((await media.call('DELETE', `/api/trim/${sound.id}?trim_id=${trimId}`)).status, 400, trimId)
    }
  })

  test('a job keeps fifty trims, and the oldest are deleted', async () => {
    const { artifacts } = media.service.app.core
    for (let index = 0; index < 50; index += 1) {
      const file = join(media.folder, 'part')
      await writeFile(file, 'RIFF')
      const name = `trim_${index}_${index + 2000}.wav`
      await artifacts.put(sound.id, name, file)
      // As if they had been cut one after the other.
      await setPutAt(sound.id, name, Date.now() + index * 1000)
    }
    await make(sound.id, { start: 9, end: 11 })
    const kept = (await list(sound.id)).map(({ trim_id }) => trim_id)
    assert.equal(kept.length, 50)
    assert.ok(kept.includes('9000_11000') && kept.includes('1_2001') && !kept.includes('0_2000'))
    await media.call('DELETE', `/api/trim/${sound.id}`)
  })

  test('a storage that was copied in whatever order keeps its trims', async () => {
    await make(sound.id, { start: 0, end: 2 })
    const folder = join(media.folder, 'artifacts', sound.id)
    const copied = (name: string, at: Date) => utimesSync(join(folder, name), at, at)
    copied('trim_0_2000.wav', new Date(Date.now() - 60_000))
    for (const name of readdirSync(folder)) if (name.startsWith('source.')) copied(name, new Date(Date.now() + 60_000))
    assert.deepEqual(
      (await list(sound.id)).map(({ trim_id }) => trim_id),
      ['0_2000'],
    )
    assert.equal((await download(sound.id, '0_2000')).status, 200)
    assert.equal((await make(sound.id, { start: 0, end: 2 })).body.cached, true)
  })

  test('a replaced file has no trims of the old one', async () => {
    await make(sound.id, { start: 0, end: 2 })
    await setPutAt(sound.id, 'trim_0_2000.wav', 1)
    assert.deepEqual(await list(sound.id), [])
    assert.equal((await download(sound.id, '0_2000')).status, 404)
    assert.equal((await make(sound.id, { start: 0, end: 2 })).body.cached, false)
  })

  test('deleting a job deletes its trims, and no temporary file remains', async () => {
    const { id } = await media.submit(platform.page('sound.m4a', { id: 'gone' }))
    await media.reach(id, 'analysis_done')
    const { artifacts, database, scratch } = media.service.app.core
    const cutting = make(id, { start: 0, end: 11 })
    await database.query.deleteFrom('jobs').where('id', '=', id).execute()
    assert.equal((await cutting).status, 404)
    assert.ok(!(await artifacts.list(id)).some((name) => name.startsWith('trim_')))
    assert.equal(spawnSync('find', [scratch, '-type', 'f']).stdout.toString(), '')
  })
})
