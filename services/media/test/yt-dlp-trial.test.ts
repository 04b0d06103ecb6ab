import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '@hearth/testing'
import { knows } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'
import { installed, later, startUpdating, type Updating } from './release-server/updating.ts'

let world: Updating
let platform: Platform

before(async () => {
  platform = await startPlatform()
  world = await startUpdating(knows(platform.host))
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
})

const pinned = async () => (await world.media.service.app.core.chosenYtDlp.pin())?.isOnTrial

test('a new version must still read recent downloads', async () => {
  const { releases, media, update, inUse } = world
  const job = await media.submit(platform.page('large.mkv', { id: 'known' }), { type: 'video' })
  await media.reach(job.id, 'done')
  releases.publish(later(1), 'reads-nothing')
  const { body } = await update()
  assert.equal(body.ok, false)
  assert.match(body.message, /it cannot read http:.*large\.mkv.*, which the present one can/)
  assert.equal(await inUse(), installed)
})

test('a version whose first three jobs fail because of it is reverted automatically', async () => {
  const { releases, media, update, inUse } = world
  releases.publish(later(2), 'fetches-nothing')
  assert.equal((await update()).body.ok, true, 'it describes media well')
  for (const id of ['a', 'b', 'c']) {
    assert.equal(await inUse(), later(2))
    const job = await media.submit(platform.page('video.mp4', { id }), { type: 'video' })
    await media.reach(job.id, 'error')
  }
  await eventually(pinned, (isOnTrial) => isOnTrial === false)
  assert.equal(await inUse(), installed)
})

test('one successful job ends the trial of a version', async () => {
  const { releases, media, update, revert, inUse } = world
  releases.publish(later(3))
  assert.equal((await update()).body.ok, true)
  assert.equal(await pinned(), true)
  const job = await media.submit(platform.page('large.mkv', { id: 'good' }), { type: 'video' })
  await media.reach(job.id, 'done')
  await eventually(pinned, (isOnTrial) => isOnTrial === false)
  assert.equal(await inUse(), later(3))
  assert.equal((await revert()).body.version, installed)
})
