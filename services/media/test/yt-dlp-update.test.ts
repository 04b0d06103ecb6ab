import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { eventually, startWebhookReceiver } from '@hearth/testing'
import { knows } from './in-process.ts'
import { destinations, hook } from './notification-hook.ts'
import { startPlatform, type Platform } from './platform/platform.ts'
import { installed, later, startUpdating, type Updating } from './release-server/updating.ts'

let world: Updating
let platform: Platform

before(async () => {
  platform = await startPlatform()
  world = await startUpdating({ ...knows(platform.host), OUTBOUND_ALLOW: '127.0.0.1' })
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

test('a release that does not work here is not installed, and the response says why', async () => {
  const { releases, update, inUse, kept } = world
  const tried = async (reason: RegExp) => {
    const { status, body } = await update()
    assert.deepEqual([status, body.ok, body.version], [200, false, installed])
    assert.match(body.message, reason)
    assert(body.message.endsWith(`; ${installed} stays in use`), body.message)
    assert.equal(await inUse(), installed)
    assert.deepEqual(kept(), [])
  }
  releases.publish(later(1), 'no-start')
  await tried(/it cannot be run here/)
  releases.publish(later(2), 'other-version')
  await tried(/it says it is 2020\.01\.01/)
  releases.publish(later(3), 'reads-nothing')
  await tried(/it cannot read a plain page: yt-dlp cannot read this page any more/)
})

test('a release that was given up is told to the destinations of notifications', async () => {
  const { releases, media, update } = world
  await using receiver = await startWebhookReceiver()
  assert.equal((await media.json('POST', destinations, { json: hook(receiver.url) })).status, 201)
  releases.publish(later(3), 'reads-nothing')
  assert.equal((await update()).body.ok, false)
  const [told] = await eventually(
    () => receiver.received,
    (received) => received.length > 0,
  )
  assert.deepEqual([told?.type, told?.title], ['tool.update', 'yt-dlp was not updated'])
  assert.match(told?.text ?? '', /was not taken: .*stays in use$/)
})

test('a good release is installed, used for the next job, kept across a restart, and reverted', async () => {
  const { releases, media, update, revert, inUse, kept } = world
  assert.equal((await revert()).status, 409, 'there is nothing to go back to yet')
  releases.publish(later(4))
  const { status, body } = await update()
  assert.deepEqual([status, body.ok, body.version], [200, true, later(4)], body.message ?? body.detail)
  assert.match(body.message, /Only its checksum was checked/)
  const program = join(media.folder, `tools/yt-dlp/${later(4)}/yt-dlp`)
  assert.equal(statSync(program).mode & 0o777, 0o700)
  assert.equal(await media.service.app.core.chosenYtDlp.program(), program)
  const job = await media.submit(platform.page('sound.m4a'))
  await media.reach(job.id, 'analysis_done', 'done')
  await media.restart()
  assert.equal(await inUse(), later(4))
  const message = `yt-dlp ${later(4)} is the newest already`
  assert.deepEqual((await update()).body, { ok: true, version: later(4), message })
  const back = await revert()
  assert.deepEqual([back.status, back.body.version], [200, installed])
  assert.equal(await inUse(), installed)
  assert.equal((await revert()).status, 409)
  assert.deepEqual(kept(), [later(4)], 'runs that began with it end with it')
})
