import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '@hearth/testing'
import { defaultSettings } from '../src/settings/schema.ts'
import { openSettings } from '../src/settings/settings.ts'
import { startMedia, type Media } from './in-process.ts'
import { finishedJob } from './job-row.ts'

let media: Media
before(async () => void (media = await startMedia()))
after(() => media[Symbol.asyncDispose]())

const write = (json: unknown) => media.json<{ ok?: boolean; detail?: string }>('POST', '/api/settings', { json })
const read = async () => {
  const { status, body } = await media.json<Record<string, unknown>>('GET', '/api/settings')
  assert.equal(status, 200)
  return body
}

test('a new installation has the defaults, and changes persist across a restart', async () => {
  assert.deepEqual(await read(), { ...defaultSettings, has_credentials: false })
  assert.deepEqual((await write({ retention_days: 30, video_watermark: true })).body.ok, true)
  const changed = { ...defaultSettings, retention_days: 30, video_watermark: true, has_credentials: false }
  assert.deepEqual(await read(), changed)
  await media.restart()
  assert.deepEqual(await read(), changed)
})

test('settings written by another process are reloaded when its event arrives', async () => {
  const { bus, database } = media.service.app.core
  const other = await openSettings(database.query)
  await other.write({ retention_days: 77 })
  assert.notEqual((await read())['retention_days'], 77, 'not before the event')
  bus.publish({ type: 'settings_changed', job_id: null })
  await eventually(read, (settings) => settings['retention_days'] === 77)
})

test('form switches and numbers are accepted; unknown or read-only keys are ignored', async () => {
  const sent = { download_compatible_output: 'On', session_idle_minutes: ' 15 ', stemsvc_duration_guard: '0' }
  const ignored = { admin_password_hash: 'x', session_version: 7, statistics_reset_at: '1', colour: 'red' }
  assert.equal((await write({ ...sent, ...ignored })).status, 200)
  const settings = await read()
  assert.deepEqual(
    [settings['download_compatible_output'], settings['session_idle_minutes'], settings['stemsvc_duration_guard']],
    [true, 15, false],
  )
  assert.equal(
    Object.keys(settings).some((name) => name in ignored),
    false,
  )
  assert.equal(settings['has_credentials'], false)
})

test('every key is range-checked, the error names it, and nothing else is stored', async () => {
  const wrong: Record<string, unknown[]> = {
    retention_days: [-1, 366, 1.5, 'x'],
    session_idle_minutes: [0, 1441],
    download_concurrent_fragments: [-1, 17],
    download_worker_count: [9],
    download_timeout_minutes: [0, 241],
    transcode_timeout_minutes: [0, 481],
    download_max_filesize_gib: [0, 101],
    audio_analysis_max_minutes: [241],
    audio_analysis_timeout_minutes: [0, 61],
    tempo_range_from: [39, 111, -1],
    stemsvc_max_download_gib: [0, 101],
    share_link_max_uses: [-1, 10_001],
    video_watermark: ['perhaps', 2],
    enable_authentication: ['maybe'],
    public_hostname: ['https://a.b', 'a.b:80', 'a/b', '-a.b', `${'a'.repeat(64)}.b`],
    admin_username: ['a b', ''],
  }
  const before = await read()
  let writes = 0
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const { status, body } = await write({ share_link_max_uses: 5, [name]: value })
      assert.equal(status, 400, `${name} ${String(value)}`)
      assert.match(body.detail ?? '', new RegExp(`^${name} `))
      writes += 1
    }
  }
  assert.ok(writes > 20)
  assert.deepEqual(await read(), before)
  assert.equal((await media.call('POST', '/api/settings', { json: ['x'] })).status, 400)
  const large = { json: { public_hostname: 'a'.repeat(70_000) } }
  assert.equal((await media.call('POST', '/api/settings', large)).status, 413)
})

test('a template of names is tried on an example or on the newest downloads, and a bad one is refused with a reason', async () => {
  const preview = (type: string, template: unknown) =>
    media.json<{ names?: string[]; detail?: string }>('POST', '/api/jobs/name-preview', { json: { type, template } })
  const template = '{artist} - {title}[ ({bpm})]'
  assert.deepEqual((await preview('audio', template)).body.names, ['Third Floor - Night drive (124).mp3'])
  assert.deepEqual((await preview('video', ` ${template} `)).body.names, ['Third Floor - Night drive (124).mp4'])
  const facts = { artist: 'An artist', name_template: '{id}' }
  await media.service.app.core.database.query
    .insertInto('jobs')
    .values([
      finishedJob({ ...facts, video_title: 'Old', artifact: 'source.opus', created_at: 1 }),
      finishedJob({ ...facts, video_title: 'New', bpm: 90, created_at: 2 }),
      finishedJob({ ...facts, video_title: 'Film', type: 'video', status: 'done', artifact: 'source.webm' }),
    ])
    .execute()
  const names = async (type: string) => (await preview(type, template)).body.names
  assert.deepEqual(await names('audio'), ['An artist - New (90).mp3', 'An artist - Old.mp3'])
  assert.deepEqual(await names('video'), ['An artist - Film.webm'])
  for (const [bad, detail] of [
    ['', /^template must not be empty/],
    ['{titel}', /^template has the unknown field \{titel\}/],
    ['a/b', /^template must not contain \//],
    [7, /^template must be/],
  ] as const) {
    const { status, body } = await preview('audio', bad)
    assert.equal(status, 400)
    assert.match(body.detail ?? '', detail)
  }
})
