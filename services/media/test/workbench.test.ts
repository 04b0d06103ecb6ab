import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Job } from '../src/jobs/schema.ts'
import { emptyContent, type Workbench } from '../src/workbench/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

type Answer = Workbench & { detail: string; error?: string }

const part = { id: 'a', name: 'Intro', start: 1, end: 3.5, fade_in: 0, fade_out: 0.25, loop: null }
const cue = { id: 'c', name: 'Drop', at: 2.25 }

describe('the workbench of a job', () => {
  let platform: Platform
  let media: Media
  let sound: Job
  let video: Job

  before(async () => {
    platform = await startPlatform()
    media = await startMedia(knows(platform.host))
    const jobs = await Promise.all([
      media.submit(platform.page('sound.m4a')),
      media.submit(platform.page('video.mp4', { id: 'video' }), { type: 'video' }),
    ])
    sound = await media.reach(jobs[0].id, 'analysis_done')
    video = await media.reach(jobs[1].id, 'done')
  })
  after(async () => {
    await media[Symbol.asyncDispose]()
    await platform[Symbol.asyncDispose]()
  })

  const read = (id: string) => media.json<Answer>('GET', `/api/jobs/${id}/workbench`)
  const write = (id: string, json: unknown) => media.json<Answer>('PUT', `/api/jobs/${id}/workbench`, { json })

  test('is empty at first, is kept with a revision, and survives a restart', async () => {
    const first = await read(sound.id)
    assert.equal(first.status, 200)
    assert.deepEqual([first.body.revision, first.body.parts, first.body.stretch], [0, [], 'rubberband'])
    const kept = await write(sound.id, { revision: 0, ...emptyContent, parts: [part], cues: [cue] })
    assert.deepEqual([kept.status, kept.body.revision, kept.body.parts], [200, 1, [part]])
    await media.restart()
    const { body } = await read(sound.id)
    assert.deepEqual([body.revision, body.parts, body.cues], [1, [part], [cue]])
  })

  test('takes one of two changes that were made from the same revision, and says so to the other', async () => {
    const { revision } = (await read(sound.id)).body
    const change = (name: string) => write(sound.id, { revision, ...emptyContent, parts: [{ ...part, name }] })
    const both = await Promise.all([change('one'), change('two')])
    assert.deepEqual(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    )
    const refused = both.find(({ status }) => status === 409)
    assert.equal(refused?.body.error, 'revision_changed')
    assert.match(refused.body.detail, /was changed elsewhere.*Load it again/)
    const taken = both.find(({ status }) => status === 200)
    assert.deepEqual((await read(sound.id)).body.parts, taken?.body.parts)
  })

  test('refuses what does not fit, and names the place', async () => {
    const { revision } = (await read(sound.id)).body
    for (const [more, reason] of [
      [{ parts: [{ ...part, end: 0.5 }] }, /^parts.0.end must lie at least/],
      [{ parts: [{ ...part, fade_in: 2.4 }] }, /^parts.0.fade_out and fade_in are longer/],
      [{ parts: Array.from({ length: 201 }, () => part) }, /^parts must have at most 200/],
      [{ cues: Array.from({ length: 101 }, () => cue) }, /^cues must have at most 100/],
      [{ parts: [{ ...part, name: 'x'.repeat(81) }] }, /^parts.0.name/],
      [{ parts: [{ ...part, loop: { bars: 0, beats_per_bar: 4, bpm: 120 } }] }, /^parts.0.loop.bars/],
      [{ grid: { ...emptyContent.grid, snap: 'half' } }, /^grid.snap/],
      [{ export: { ...emptyContent.export, semitones: 13 } }, /^export.semitones/],
    ] as const) {
      const { status, body } = await write(sound.id, { revision, ...emptyContent, ...more })
      assert.equal(status, 400, JSON.stringify(more).slice(0, 100))
      assert.match(body.detail, reason)
    }
    assert.equal((await read('00000000-0000-4000-8000-000000000000')).status, 404)
  })

  test('has the fine shape of a sound and of the sound of a video', async () => {
    for (const { id } of [sound, video]) {
      const answer = await media.call('GET', `/api/waveform/${id}/peaks`)
      assert.equal(answer.status, 200)
      const bytes = Buffer.from(await answer.arrayBuffer())
      const [count, pair, seconds] = [bytes.readUInt32LE(4), bytes.readDoubleLE(8), bytes.readDoubleLE(16)]
      assert.deepEqual([bytes.toString('latin1', 0, 4), bytes.length, pair], ['HPK1', 24 + 2 * count, 0.005])
      assert.ok(Math.abs(count * pair - seconds) <= pair && seconds > 1)
      const pairs = new Int8Array(bytes.buffer, bytes.byteOffset + 24, 2 * count)
      assert.ok(pairs.every((value, index) => (index % 2 === 0 ? value <= 0 : value >= 0)))
      assert.ok(Math.max(...pairs) > 10)
    }
  })

  test('plays the sound of a job, of a video too, in ranges', async () => {
    for (const { id } of [sound, video]) {
      const answer = await media.call('GET', `/api/jobs/${id}/sounds/original`, { headers: { range: 'bytes=0-9' } })
      assert.deepEqual([answer.status, (await answer.arrayBuffer()).byteLength], [206, 10])
    }
    assert.equal((await media.call('GET', `/api/jobs/${sound.id}/sounds/vocals`)).status, 404)
    assert.equal((await media.call('GET', `/api/jobs/${sound.id}/sounds/drums`)).status, 400)
  })

  test('goes with its job', async () => {
    const job = await media.submit(platform.page('sound.m4a', { id: 'gone' }))
    await media.reach(job.id, 'analysis_done')
    assert.equal((await write(job.id, { revision: 0, ...emptyContent, parts: [part] })).status, 200)
    assert.equal((await media.json('POST', '/api/jobs/remove', { json: { job_ids: [job.id] } })).status, 200)
    assert.equal((await read(job.id)).status, 404)
    const { query } = media.service.app.core.database
    const rows = await query.selectFrom('workbench_sessions').select('job_id').execute()
    assert.deepEqual(
      rows.map(({ job_id }) => job_id),
      [sound.id],
    )
    assert.ok(!readdirSync(join(media.folder, 'artifacts')).includes(job.id))
  })
})
