import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readConfig } from '../src/config.ts'
import type { HostInfo } from '../src/host/schema.ts'
import type { Updates } from '../src/updates/schema.ts'
import { startMedia } from './in-process.ts'
import { installed, later, startUpdating, type Updating } from './release-server/updating.ts'

let world: Updating

before(async () => {
  world = await startUpdating()
})
after(() => world[Symbol.asyncDispose]())

test('the host reports its state', async () => {
  const { status, body } = await world.media.json<HostInfo>('GET', '/api/system/host')
  assert.equal(status, 200)
  assert(body.storage !== null && body.storage.total > 0 && body.memory !== null && body.uptime !== null)
  assert(body.cpu !== null && body.cpu.percent <= 100)
})

test('every component has its version, and the latest one if known', async () => {
  const { releases, media, check } = world
  releases.publish(later(1), 'checksum')
  releases.tags.delete('yt-dlp/ejs')
  const body = await check()
  assert.equal(body.complete, false)
  assert.equal(body.checked_at, null)
  assert.notEqual(body.last_attempt_at, null)
  const { app, ytdlp, ytdlp_ejs, js_runtime, ffmpeg, wavesurfer } = body.components
  assert.deepEqual([app?.current, app?.latest, app?.update_available, app?.stale], ['0.1.0', '99.1.0', true, false])
  assert.deepEqual([ytdlp?.current, ytdlp?.latest, ytdlp?.update_available], [installed, later(1), true])
  assert.deepEqual([ytdlp_ejs?.latest, ytdlp_ejs?.stale], [null, true])
  assert.deepEqual([js_runtime?.current, js_runtime?.latest], [process.versions.node, '26.10.0'])
  assert.match(ffmpeg?.current ?? '', /^\d/)
  assert.deepEqual([ffmpeg?.latest, ffmpeg?.stale], ['10.0', false])
  assert.deepEqual([wavesurfer?.latest, wavesurfer?.update_available], ['8.1.0', true])
  const before = releases.requests.length
  await media.restart()
  assert.deepEqual(await check(), body)
  assert.equal(releases.requests.length, before, 'it was kept over the restart, and nobody was asked')
})

test('the application’s repository is configurable, and not guessed if none is set', async () => {
  const { releases } = world
  releases.tags.set('somebody/hearth', 'v0.1.0')
  await using other = await startMedia({ UPDATES_BASE_URL: releases.url, UPDATES_REPOSITORY: 'somebody/hearth' })
  const { app } = (await other.json<Updates>('GET', '/api/updates')).body.components
  assert.deepEqual([app?.latest, app?.update_available, app?.stale], ['0.1.0', false, false])
  assert.equal(readConfig({}).updatesRepository, undefined)
})

test('an invalid release is not installed and leaves nothing behind', async () => {
  const { releases, update, inUse, kept } = world
  const refused = async (reason: RegExp) => {
    const { status, body } = await update()
    assert.equal(status, 502, body.message)
    assert.match(body.detail, /^yt-dlp was not updated: /)
    assert.match(body.detail, reason)
    assert.equal(await inUse(), installed)
    assert.deepEqual(kept(), [])
  }
  await refused(/does not have the checksum/)
  releases.publish(later(2), 'truncated')
  await refused(/cannot be reached|cannot be read/)
  releases.publish(later(3), 'no-list')
  await refused(/has no SHA2-256SUMS/)
  releases.publish(later(4), 'list-of-others')
  await refused(/does not name the program/)
  releases.publish(later(5), 'elsewhere')
  await refused(/has no SHA2-256SUMS/)
  releases.publish(later(6), 'endless')
  await refused(/more than is accepted/)
  releases.refuse(403)
  await refused(/answered 403/)
})

test('a program set by the operator is not replaced', async () => {
  const { media, update, revert } = world
  await media.restart({ YTDLP_PATH: '/usr/bin/yt-dlp' })
  const { status, body } = await update()
  assert.equal(status, 409)
  assert.match(body.detail, /YTDLP_PATH/)
  assert.equal((await revert()).status, 409)
})
