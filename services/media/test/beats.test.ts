import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { BeatGrid } from '../src/beats/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

test('the beats of a sound are found at the first request, kept, and follow a tempo that a person sets', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  const read = (id: string) => media.json<BeatGrid>('GET', `/api/jobs/${id}/beats`)
  const [sound, video] = [
    await media.submit(platform.page('sound.m4a')),
    await media.submit(platform.page('video.mp4'), { type: 'video' }),
  ]
  const [{ bpm }] = await Promise.all([media.reach(sound.id, 'analysis_done'), media.reach(video.id, 'done')])
  const kept = () => media.service.app.core.artifacts.stat(sound.id, 'beats.json')
  const setTempo = (tempo: number) =>
    media
      .json('POST', `/api/jobs/${sound.id}/tempo`, { json: { bpm: tempo } })
      .then(({ status }) => assert.equal(status, 200))

  /** A beat every half a second. */
  const isOnBeat = (seconds: number) => Math.abs(seconds * 2 - Math.round(seconds * 2)) < 0.1

  await test('they lie where the sound beats', async () => {
    const { status, body } = await read(sound.id)
    assert.equal(status, 200)
    assert.equal(Math.round(body.bpm ?? 0), bpm)
    assert.ok(body.beats.length > 8 && body.beats.every(isOnBeat), body.beats.join(' '))
    assert.ok(body.downbeats.every((index) => index < body.beats.length))
    const first = await kept()
    assert.ok(first !== undefined && (await read(sound.id)).status === 200)
    assert.deepEqual(await kept(), first)
  })

  await test('a tempo set by a person has its own beats', async () => {
    const before = (await read(sound.id)).body
    await setTempo(60)
    const slow = (await read(sound.id)).body
    assert.equal(slow.confidence, 1)
    assert.ok(slow.beats.length < before.beats.length * 0.7, `${slow.beats.length} of ${before.beats.length}`)
    assert.ok(slow.beats.every(isOnBeat), slow.beats.join(' '))
    await setTempo(120)
  })

  await test('a damaged file is found again', async () => {
    const { body } = await read(sound.id)
    for (const content of ['', '{}', 'null']) {
      writeFileSync(join(media.folder, 'artifacts', sound.id, 'beats.json'), content)
      assert.deepEqual((await read(sound.id)).body, body)
    }
  })

  await test('only finished audio has beats', async () => {
    for (const id of [video.id, 'x']) assert.equal((await read(id)).status, 404, id)
  })
})
