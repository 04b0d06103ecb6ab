import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Waveform } from '../src/waveform/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

test('a waveform is computed once, stored, and recomputed if damaged', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  const read = (id: string) => media.json<Waveform>('GET', `/api/waveform/${id}`)
  const [sound, video] = [
    await media.submit(platform.page('sound.m4a')),
    await media.submit(platform.page('video.mp4'), { type: 'video' }),
  ]
  await Promise.all([media.reach(sound.id, 'analysis_done'), media.reach(video.id, 'done')])
  const { artifacts } = media.service.app.core
  const kept = () => artifacts.stat(sound.id, 'waveform.json')

  await test('it has fifty peaks a second, which show the beats', async () => {
    const { status, body } = await read(sound.id)
    assert.equal(status, 200)
    assert.ok(Math.abs(body.duration_seconds - 12) < 0.2, `${body.duration_seconds}`)
    assert.equal(body.peaks.length, 600)
    const { peaks, duration_seconds } = body
    assert.ok(peaks.every((peak) => peak >= 0 && peak <= 1))
    // A beat every half a second, and nearly nothing before the next one.
    const around = (seconds: number) => {
      const at = Math.round((seconds / duration_seconds) * peaks.length)
      return Math.max(...peaks.slice(Math.max(0, at - 1), at + 4))
    }
    for (let beat = 0.5; beat < 11; beat += 0.5) {
      assert.ok(around(beat) > 0.3, `${beat}: ${around(beat)}`)
      assert.ok(around(beat + 0.4) < 0.1, `${beat + 0.4}: ${around(beat + 0.4)}`)
    }
  })

  await test('it is read from the store the second time, and simultaneous requests compute it once', async () => {
    const first = await kept()
    assert.ok(first !== undefined && (await read(sound.id)).status === 200)
    assert.deepEqual(await kept(), first)
    await artifacts.removeOne(sound.id, 'waveform.json')
    const all = await Promise.all(Array.from({ length: 6 }, () => read(sound.id)))
    for (const one of all) assert.deepEqual(one, all[0])
    const second = await kept()
    await read(sound.id)
    assert.deepEqual(await kept(), second)
  })

  await test('a damaged waveform is recomputed', async () => {
    for (const content of ['', '{"peaks":[2]}', 'null']) {
      writeFileSync(join(media.folder, 'artifacts', sound.id, 'waveform.json'), content)
      assert.equal((await read(sound.id)).body.peaks.length, 600, content)
    }
  })

  await test('only finished audio has a waveform', async () => {
    const held = await media.submit(platform.page('sound.m4a', { id: 'held', pace: 'held' }))
    for (const id of [video.id, held.id, randomUUID(), 'x']) assert.equal((await read(id)).status, 404, id)
    await media.call('POST', `/api/jobs/${held.id}/cancel`)
    platform.release()
  })

  await test('a missing source is not found, and an invalid one is an error with a message', async () => {
    await artifacts.removeOne(sound.id, 'waveform.json')
    const source = (await artifacts.list(sound.id)).find((name) => name.startsWith('source.'))!
    writeFileSync(join(media.folder, 'artifacts', sound.id, source), 'no sound')
    const broken = await media.json<{ detail: string }>('GET', `/api/waveform/${sound.id}`)
    assert.deepEqual(broken, { status: 500, body: { detail: 'The file cannot be converted' } })
    await artifacts.removeOne(sound.id, source)
    assert.equal((await read(sound.id)).status, 404)
  })
})
