import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, freePort, startWebhookReceiver } from '@hearth/testing'
import { knows, startMedia } from './in-process.ts'
import { destinations, hook } from './notification-hook.ts'
import { startPlatform } from './platform/platform.ts'

test('a download that fails is told once, with a link to it', async () => {
  await using receiver = await startWebhookReceiver()
  const host = `127.0.0.1:${await freePort()}`
  await using media = await startMedia({
    EXTRA_PLATFORM_HOSTS: `youtube=${host}`,
    OUTBOUND_ALLOW: '127.0.0.1',
    PUBLIC_URL: 'https://media.example.org',
  })
  assert.equal((await media.json('POST', destinations, { json: hook(receiver.url) })).status, 201)
  const { id } = await media.submit(`http://${host}/watch?v=nothing`)
  await media.reach(id, 'error')
  const [failed] = await eventually(
    () => receiver.received,
    (received) => received.length > 0,
  )
  assert.deepEqual([failed?.type, failed?.state], ['job.failed', 'happened'])
  assert.match(failed?.title ?? '', /^Download failed: /)
  assert.match(failed?.text ?? '', /cannot be reached/)
  assert.equal(failed?.link, `https://media.example.org/job/${id}`)
  await media.restart()
  assert.equal(receiver.received.length, 1)
})

test('a download that is done is told where that was chosen, and not where all events go', async () => {
  await using platform = await startPlatform()
  await using chosen = await startWebhookReceiver()
  await using all = await startWebhookReceiver()
  await using media = await startMedia({ ...knows(platform.host), OUTBOUND_ALLOW: '127.0.0.1' })
  const asked = { ...hook(chosen.url), rules: { ...hook('').rules, classes: ['job.done'] } }
  for (const json of [asked, hook(all.url)])
    assert.equal((await media.json('POST', destinations, { json })).status, 201)
  const { id } = await media.submit(platform.page('sound.m4a', { title: 'Night drive' }))
  await media.reach(id, 'analysis_done')
  const [done] = await eventually(
    () => chosen.received,
    (received) => received.length > 0,
  )
  assert.deepEqual([done?.type, done?.state], ['job.done', 'happened'])
  assert.match(done?.title ?? '', /^Download finished: Night drive/)
  assert.equal(all.received.length, 0)
})

test('a wrong destination is refused with 400, and one that is not there is 404', async () => {
  await using media = await startMedia()
  const wrong = { ...hook('https://example.org'), rules: { ...hook('').rules, classes: ['moon'] } }
  const refused = await media.json<{ detail: string }>('POST', destinations, { json: wrong })
  assert.deepEqual(
    [refused.status, refused.body.detail],
    [400, 'rules.classes holds "moon", which is no event class of this service'],
  )
  const none = `${destinations}/11111111-1111-4111-8111-111111111111`
  assert.equal((await media.json('DELETE', none)).status, 404)
  assert.equal((await media.json('POST', `${none}/test`)).status, 404)
})
