import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import {
  createPostgresDatabase,
  eventually,
  metricSamples,
  postgresObstacle,
  prometheusObstacle,
  promtoolObstacle,
  promtoolProblems,
  startPrometheus,
} from '@hearth/testing'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const token = 'a-token-of-a-scraper'
let platform: Platform

before(async () => void (platform = await startPlatform()))
after(() => platform[Symbol.asyncDispose]())

/** A scrape over loopback, as a Prometheus on this machine makes it. */
async function scrape(media: Media): Promise<Map<string, number>> {
  const response = await fetch(`${media.url}/metrics`)
  assert.equal(response.status, 200)
  return metricSamples(await response.text())
}

async function followJobs(media: Media): Promise<void> {
  // A tool is asked for its version at the first scrape, and not waited for longer than a scrape may take.
  const isUp = (samples: Map<string, number>) => samples.get('hearth_media_tool_up{tool="yt_dlp"}') === 1
  const before = await eventually(() => scrape(media), isUp, { everyMs: 500 })
  assert.equal(before.get('hearth_media_jobs{status="done"}'), 0)
  assert.equal(before.get('hearth_media_queue_limit'), 200)
  assert.equal(before.get('hearth_media_workers'), 1)
  assert.equal(before.get('hearth_media_share_links'), 0)
  assert.ok([...before.keys()].some((series) => /^hearth_media_tool_info\{tool="ffmpeg",version="\d/.test(series)))
  assert.ok((before.get('hearth_media_disk_free_bytes') ?? 0) > (before.get('hearth_media_disk_reserve_bytes') ?? 0))
  assert.ok((before.get('hearth_database_size_bytes') ?? 0) > 0)

  const done = await media.submit(platform.page('video.mp4'), { type: 'video' })
  const { filesize_bytes } = await media.reach(done.id, 'done')
  const failed = await media.submit(platform.page('video.mp4', { id: 'gone', pace: 'missing' }), { type: 'video' })
  await media.reach(failed.id, 'error')
  const held = await media.submit(platform.page('video.mp4', { id: 'held', pace: 'held' }), { type: 'video' })
  await media.reach(held.id, 'downloading')
  const waiting = await media.submit(platform.page('video.mp4', { id: 'waiting' }), { type: 'video' })
  assert.equal((await media.call('POST', `/api/share/${done.id}`)).status, 200)

  const during = await scrape(media)
  assert.equal(during.get('hearth_media_jobs{status="done"}'), 1)
  assert.equal(during.get('hearth_media_jobs{status="error"}'), 1)
  assert.equal(during.get('hearth_media_jobs{status="downloading"}'), 1)
  assert.equal(during.get('hearth_media_queue_length'), 1)
  assert.ok((during.get('hearth_media_queue_oldest_wait_seconds') ?? 0) > 0)
  assert.equal(during.get('hearth_media_share_links'), 1)
  const ends = [...during].filter(([series]) => series.startsWith('hearth_media_jobs_ended_total'))
  assert.deepEqual(Object.fromEntries(ends), {
    'hearth_media_jobs_ended_total{platform="youtube",outcome="completed",reason=""}': 1,
    'hearth_media_jobs_ended_total{platform="youtube",outcome="failed",reason="removed"}': 1,
  })
  assert.ok((filesize_bytes ?? 0) > 0)

  for (const { id } of [waiting, held]) assert.equal((await media.call('POST', `/api/jobs/${id}/cancel`)).status, 200)
  await media.reach(held.id, 'cancelled')
  // The end of the third job; a changed tempo, or another such edit, is no end.
  const cancelled = 'hearth_media_jobs_ended_total{platform="youtube",outcome="cancelled",reason=""}'
  await eventually(
    async () => (await scrape(media)).get(cancelled),
    (count) => count === 2,
  )
  const later = await scrape(media)
  assert.equal(later.get('hearth_media_queue_length'), 0)
  assert.equal(later.get('hearth_media_queue_oldest_wait_seconds'), 0)
  assert.ok((later.get('hearth_http_requests_total{method="POST",route="/api/submit",code="2xx"}') ?? 0) === 4)
  assert.ok((later.get('hearth_database_queries_total') ?? 0) > (before.get('hearth_database_queries_total') ?? 0))
  platform.release()
}

test('a scrape shows what became of jobs, on SQLite', async () => {
  await using media = await startMedia({ ...knows(platform.host), WORKERS: '1' })
  await followJobs(media)
})

test('a scrape shows what became of jobs, on PostgreSQL', { skip: postgresObstacle() }, async () => {
  const DATABASE_URL = await createPostgresDatabase()
  await using media = await startMedia({ ...knows(platform.host), WORKERS: '1', DATABASE_URL })
  await followJobs(media)
})

test('the size of stored files is that of the job', async () => {
  await using media = await startMedia({ ...knows(platform.host), WORKERS: '1' })
  const { id } = await media.submit(platform.page('video.mp4'), { type: 'video' })
  const { filesize_bytes } = await media.reach(id, 'done')
  assert.equal((await scrape(media)).get('hearth_media_artifacts_bytes'), filesize_bytes)
})

test('others need the token, signed in or not; the page does not show it', async () => {
  await using media = await startMedia({ METRICS_TOKEN: token })
  const forwarded = await media.call('GET', '/metrics')
  assert.equal(forwarded.status, 401)
  assert.match(await forwarded.text(), /detail/)
  assert.equal((await media.call('GET', '/metrics', { headers: { authorization: 'Bearer wrong' } })).status, 401)
  const right = await media.call('GET', '/metrics', { headers: { authorization: `Bearer ${token}` } })
  assert.equal(right.status, 200)
  assert.match(right.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.equal(right.headers.get('cache-control'), 'no-store')
  for (const path of ['/api/settings', '/api/system/host', '/openapi.json'])
    assert.doesNotMatch(await (await media.call('GET', path)).text(), /a-token-of-a-scraper/)
  const document = await readFile(new URL('../openapi.json', import.meta.url), 'utf8')
  assert.doesNotMatch(document, /"\/metrics"/)
})

test('promtool finds nothing wrong', { skip: promtoolObstacle() }, async () => {
  await using media = await startMedia(knows(platform.host))
  await media.call('GET', '/api/jobs')
  const text = await (await fetch(`${media.url}/metrics`)).text()
  assert.equal(await promtoolProblems(['check', 'metrics'], text), '')
})

test(
  'a real Prometheus scrapes with the token, and evaluates the alert rules',
  { skip: prometheusObstacle() },
  async () => {
    await using media = await startMedia({ METRICS_TOKEN: token })
    await media.call('GET', '/api/jobs')
    await using prometheus = await startPrometheus({ service: 'media', url: media.url, token })
    await prometheus.scraped()
    const version = await prometheus.query('hearth_build_info')
    assert.deepEqual(
      version.map(({ metric, value }) => [metric['service'], metric['job'], value]),
      [['media', 'hearth-media', 1]],
    )
    const requests = await prometheus.query('hearth_http_requests_total{route="/api/jobs"}')
    assert.deepEqual(
      requests.map(({ value }) => value),
      [1],
    )
    const health = await prometheus.rules()
    assert.ok(Object.keys(health).length > 5)
    assert.deepEqual([...new Set(Object.values(health))], ['ok'])
  },
)
