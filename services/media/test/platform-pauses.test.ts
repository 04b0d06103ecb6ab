import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually, runCommand, startServiceProcess, startWebhookReceiver, temporaryDirectory } from '@hearth/testing'
import type { PlatformHealth } from '../src/health/schema.ts'
import type { Job } from '../src/jobs/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { openCaller } from './open-caller.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const healthOf = async (media: Media, platform: PlatformHealth['platform'] = 'youtube'): Promise<PlatformHealth> => {
  const { body } = await media.json<PlatformHealth[]>('GET', '/api/platforms')
  return body.find((one) => one.platform === platform)!
}

const isPaused = (health: PlatformHealth) => health.pause !== null && !health.pause.is_probing

/** How often a page was requested. */
const pagesOf = ({ requests }: Platform) => requests.filter((line) => line.startsWith('GET /watch')).length

test('a platform that answers 429 is paused and lets others go on; one try opens it, and no job is lost', async () => {
  await using receiver = await startWebhookReceiver()
  await using strict = await startPlatform()
  await using other = await startPlatform('127.0.0.2')
  const timers = createFastTimers(1)
  const environment = {
    EXTRA_PLATFORM_HOSTS: `youtube=${strict.host},tiktok=${other.host}`,
    OUTBOUND_ALLOW: `${strict.host},${other.host},127.0.0.1`,
    WORKERS: '2',
  }
  await using media = await startMedia(environment, { timers })
  const hook = {
    name: 'Hook',
    is_enabled: true,
    target: { kind: 'webhook', url: receiver.url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
    rules: {
      classes: ['platform.blocked'],
      minimum_severity: 'info',
      time_zone: 'UTC',
      quiet_hours: null,
      digest: { every: 'message' },
    },
  }
  assert.equal((await media.json('POST', '/api/notifications/destinations', { json: hook })).status, 201)
  assert.equal((await healthOf(media)).state, 'unknown')
  strict.treat('refused')
  const refused = await media.submit(strict.page('sound.m4a', { id: 'a' }))
  const blocked = await eventually(() => healthOf(media), isPaused, { everyMs: 200 })
  assert.deepEqual([blocked.state, blocked.reason, blocked.advice], ['blocked', 'rate_limited', 'wait'])
  assert.ok(blocked.pause!.seconds_left > 290 && blocked.pause!.seconds_left <= 300)
  const waiting = await media.reach(refused.id, 'queued')
  assert.match(waiting.message ?? '', /^YouTube refuses this server for now/)

  const asked = pagesOf(strict)
  const later = await media.submit(strict.page('sound.m4a', { id: 'b' }))
  const elsewhere = await media.submit(other.page('sound.m4a'))
  await media.reach(elsewhere.id, 'analysis_done')
  const { reason } = (await media.json<{ reason: string }>('GET', `/api/info?url=${encodeURIComponent(later.url)}`))
    .body
  assert.deepEqual([pagesOf(strict), reason], [asked, 'rate_limited'], 'nothing is requested meanwhile')
  assert.deepEqual([(await healthOf(media)).waiting, (await healthOf(media, 'tiktok')).state], [2, 'ok'])

  const report = await media.call('GET', `/api/jobs/${refused.id}/report`)
  const text = await report.text()
  assert.match(report.headers.get('content-disposition') ?? '', /^attachment; filename="failure-\w{8}\.txt"$/)
  assert.match(text, /^Reason: +rate_limited$/m)
  assert.match(text, /HTTP Error 429/)
  assert.ok(!text.includes(strict.host.split(':')[0]!) && !text.includes(media.folder), text)
  assert.equal((await media.call('GET', `/api/jobs/${elsewhere.id}/report`)).status, 404)

  await media.restart()
  assert.equal((await healthOf(media)).state, 'blocked', 'a restart forgets no pause')
  await media.json('POST', '/api/platforms/youtube/try')
  const again = await eventually(
    () => healthOf(media),
    ({ pause }) => pause?.refusals === 2 && !pause.is_probing,
    { everyMs: 200 },
  )
  assert.ok(again.pause!.seconds_left > 590)
  strict.treat('answered')
  timers.jump(601_000)
  for (const { id } of [refused, later]) await media.reach(id, 'analysis_done')
  const healthy = await healthOf(media)
  assert.deepEqual([healthy.state, healthy.pause, healthy.completed], ['ok', null, 2])
  const told = await eventually(
    () => receiver.received,
    (received) => received.length >= 2,
  )
  assert.deepEqual(
    told.map(({ state, title }) => `${state}: ${title}`),
    ['began: YouTube blocks this server', 'ended: YouTube lets this server in again'],
  )
})

test('new cookies have a paused platform tried at once', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  platform.treat('refused')
  const { id } = await media.submit(platform.page('sound.m4a'))
  await eventually(() => healthOf(media), isPaused, { everyMs: 200 })
  platform.treat('answered')
  const text = 'Cookie: LOGIN_INFO=a; SAPISID=b'
  assert.equal((await media.json('POST', '/api/cookies/youtube/paste', { json: { text } })).status, 200)
  await media.reach(id, 'analysis_done')
  assert.equal((await healthOf(media)).pause, null)
})

test('the command line shows pauses and ends the wait', async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  const command = (...args: string[]) => runCommand(['media', 'platforms', ...args], { DATA_DIR: media.folder })
  platform.treat('refused')
  const { id } = await media.submit(platform.page('sound.m4a'))
  await eventually(() => healthOf(media), isPaused, { everyMs: 200 })
  const status = await command('status')
  assert.deepEqual([status.code, status.stderr], [0, ''])
  assert.match(status.stdout, /^youtube\tblocked\t0\t0\trate_limited\t\d+\ntiktok\tunknown\t0\t0\t-\t-\n/)
  platform.treat('answered')
  assert.equal((await command('try', 'youtube')).stderr, 'the wait is over; the next download of youtube is tried\n')
  await media.reach(id, 'analysis_done')
  assert.equal((await command('try', 'youtube')).stderr, 'youtube does not wait\n')
  const wrong = await command('try', 'vimeo')
  assert.deepEqual([wrong.code, wrong.stdout], [1, ''])
  assert.match(wrong.stderr, /vimeo is none of youtube/)
})

test('killed while a platform is paused and while its probe runs, the service keeps the pause and every job', async () => {
  await using platform = await startPlatform()
  await using folder = await temporaryDirectory()
  const data = join(folder.path, 'data')
  const start = () => startServiceProcess('media', { ...knows(platform.host), DATA_DIR: data, LOG_LEVEL: 'fatal' })
  const ids: string[] = []
  platform.treat('refused')
  const health = async (send: Awaited<ReturnType<typeof openCaller>>) =>
    (await send<PlatformHealth[]>('GET', '/api/platforms')).body[0]!
  let service = await start()
  try {
    let send = await openCaller(service.url)
    for (const id of ['a', 'b', 'c']) {
      const url = platform.page('sound.m4a', { id })
      ids.push((await send<Job>('POST', '/api/submit', { url, type: 'audio', quality: 'max' })).body.id)
    }
    await eventually(() => health(send), isPaused, { everyMs: 200 })
    await service.kill()
    service = await start()
    send = await openCaller(service.url)
    assert.equal((await health(send)).pause?.refusals, 1)
    // The probe gets no answer, so that it is killed at work.
    platform.treat('held')
    await send('POST', '/api/platforms/youtube/try')
    await eventually(
      () => platform.waiting,
      (count) => count > 0,
    )
    assert.equal((await health(send)).pause?.is_probing, true)
    await service.kill()
    platform.treat('answered')
    service = await start()
    send = await openCaller(service.url)
    const all = await eventually(
      async () => (await send<Job[]>('GET', '/api/jobs')).body,
      (jobs) => jobs.every(({ status }) => status === 'analysis_done'),
      { seconds: 60, everyMs: 300, what: 'the end of all jobs' },
    )
    assert.deepEqual(all.map(({ id }) => id).toSorted(), ids.toSorted())
    assert.equal((await health(send)).pause, null)
    const stored = (await readdir(join(data, 'artifacts'))).filter((name) => !name.startsWith('.'))
    assert.deepEqual(stored.toSorted(), ids.toSorted())
    for (const name of ['work', 'scratch']) assert.deepEqual(await readdir(join(data, name)), [], name)
  } finally {
    await service.kill()
  }
})
