import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createAddressSet, createServer, routeFor, type Route } from '@hearth/http'
import { createLog } from '@hearth/runtime'
import { eventually, metricSamples, promtoolObstacle, promtoolProblems } from '@hearth/testing'
import { z } from 'zod'
import { defineCollector, type Collector } from './collector.ts'
import { DurationHistogram } from './duration-histogram.ts'
import { metricsRoute } from './metrics-route.ts'
import { Metrics, type MetricsOptions } from './metrics.ts'

const silent = createLog({ name: 'test', level: 'silent' })
const route = routeFor<Record<string, undefined>, string>()

const things: Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/things/{id}',
      tag: 'Things',
      summary: 'A thing',
      access: 'public',
      limit: 'none',
      params: z.object({ id: z.string() }),
      success: { status: 200, body: z.object({ id: z.string() }) },
    },
    ({ params }) => {
      if (params.id === 'broken') throw new Error('broken')
      return { id: params.id }
    },
  ),
  route(
    {
      method: 'GET',
      path: '/api/events',
      tag: 'Things',
      summary: 'Events',
      access: 'public',
      limit: 'none',
      success: { status: 200, media: 'text/event-stream', description: 'Events' },
    },
    () => ({ content: 'data: 1\n\n' }),
  ),
]

async function serve(context: TestContext, options: Partial<MetricsOptions> = {}) {
  const metrics = new Metrics({ service: 'test', version: '1.2.3', collectors: [], log: silent, ...options })
  const app = await createServer({
    routes: [...things, metricsRoute(metrics)],
    about: {
      title: 'Test',
      description: 'Test',
      version: '1',
      errorBody: z.object({}),
      securitySchemes: {},
      security: () => [],
      tags: [],
    },
    guard: () => Promise.resolve(undefined),
    toError: (error) => ({ status: error instanceof Error && error.message === 'broken' ? 500 : 404, body: {} }),
    onAnswered: metrics.onAnswered,
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: silent,
    pages: '',
  })
  context.after(() => app.close())
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers })
  return { metrics, get, scrape: async () => (await get('/metrics')).payload }
}

test('requests are counted by route and status class, whatever paths a client requests', async (context) => {
  const { get, scrape } = await serve(context)
  for (let index = 0; index < 200; index += 1) {
    await get(`/api/things/${index}`)
    await get(`/api/nothing-${index}`)
    await get(`/nothing-${index}.php`)
  }
  await get('/api/things/broken')
  const samples = metricSamples(await scrape())
  const requests = [...samples].filter(([series]) => series.startsWith('hearth_http_requests_total'))
  assert.deepEqual(Object.fromEntries(requests), {
    'hearth_http_requests_total{method="GET",route="/api/things/{id}",code="2xx"}': 200,
    'hearth_http_requests_total{method="any",route="other",code="4xx"}': 400,
    'hearth_http_requests_total{method="GET",route="/api/things/{id}",code="5xx"}': 1,
  })
})

test('durations fall into buckets that add up; event streams are counted, not timed', async (context) => {
  const { get, scrape } = await serve(context)
  for (const id of ['a', 'b', 'c']) await get(`/api/things/${id}`)
  await get('/api/events')
  const text = await scrape()
  const samples = metricSamples(text)
  const name = 'hearth_http_request_duration_seconds'
  assert.equal(samples.get(`${name}_bucket{le="+Inf",route="/api/things/{id}"}`), 3)
  assert.equal(samples.get(`${name}_count{route="/api/things/{id}"}`), 3)
  assert.ok((samples.get(`${name}_sum{route="/api/things/{id}"}`) ?? 0) > 0)
  assert.equal(samples.get('hearth_http_requests_total{method="GET",route="/api/events",code="2xx"}'), 1)
  assert.doesNotMatch(text, /duration_seconds_bucket\{[^}]*events/)
})

test('a histogram counts a duration in the first bucket that contains it', () => {
  const histogram = new DurationHistogram({ name: 'x_seconds', help: 'x', bounds: [0.1, 1] })
  for (const seconds of [0.1, 0.2, 1, 1.5]) histogram.observe('a', seconds, () => ({ kind: 'a' }))
  const values = histogram.families()[0]?.values.map(({ labels, value }) => [labels['le'], value])
  assert.deepEqual(values, [
    ['0.1', 1],
    ['1', 3],
    ['+Inf', 4],
    [undefined, 2.8],
    [undefined, 4],
  ])
})

test('process metrics include version, start time, memory, CPU, open files and event loop delay', async (context) => {
  const { scrape } = await serve(context)
  const samples = metricSamples(await scrape())
  assert.equal(samples.get('hearth_build_info{service="test",version="1.2.3"}'), 1)
  assert.ok((samples.get('process_resident_memory_bytes') ?? 0) > 10_000_000)
  assert.ok((samples.get('process_open_fds') ?? 0) > 3)
  const { user, system } = process.cpuUsage()
  assert.ok(Math.abs((samples.get('process_cpu_seconds_total') ?? 0) - (user + system) / 1e6) < 1)
  assert.ok((samples.get('nodejs_heap_size_used_bytes') ?? 0) > 1_000_000)
  assert.ok(Math.abs((samples.get('process_start_time_seconds') ?? 0) - Date.now() / 1000) < 600)
  // The delay is measured from the first scrape on.
  const delay = await eventually(
    async () => metricSamples(await scrape()).get('nodejs_eventloop_lag_max_seconds') ?? 0,
    (seconds) => seconds > 0,
  )
  assert.ok(delay < 60)
})

const working = defineCollector({
  name: 'working',
  figures: { hearth_test_things: { type: 'gauge', help: 'Things' } },
  read: () => ({ hearth_test_things: 7 }),
})

test('a collector that fails or hangs is left out and counted; the rest of the scrape is complete', async (context) => {
  let reads = 0
  const { promise: never, resolve } = Promise.withResolvers<{ hearth_test_slow: number }>()
  const collectors: Collector[] = [
    working,
    defineCollector({
      name: 'failing',
      figures: { hearth_test_failing: { type: 'gauge', help: 'x' } },
      read: () => Promise.reject(new Error('no')),
    }),
    defineCollector({
      name: 'hanging',
      figures: { hearth_test_slow: { type: 'gauge', help: 'x' } },
      read() {
        reads += 1
        return never
      },
    }),
  ]
  const { scrape } = await serve(context, { collectors, timeoutMs: 30 })
  const text = await scrape()
  assert.match(text, /^hearth_test_things 7$/m)
  assert.doesNotMatch(text, /hearth_test_failing|hearth_test_slow/)
  assert.match(text, /^hearth_scrape_errors_total\{collector="working"\} 0$/m)
  assert.match(text, /^hearth_scrape_errors_total\{collector="hanging"\} 1$/m)
  assert.match(await scrape(), /^hearth_scrape_errors_total\{collector="failing"\} 2$/m)
  assert.equal(reads, 1, 'one that hangs is not started again')
  resolve({ hearth_test_slow: 3 })
  assert.match(await scrape(), /^hearth_test_slow 3$/m)
})

test('concurrent scrapes share one reading', async (context) => {
  let reads = 0
  const { promise, resolve } = Promise.withResolvers<{ hearth_test_things: number }>()
  const counted = defineCollector({
    name: 'counted',
    figures: { hearth_test_things: { type: 'gauge', help: 'Things' } },
    read() {
      reads += 1
      return promise
    },
  })
  const { metrics } = await serve(context, { collectors: [counted] })
  const scrapes = [metrics.scrape(undefined), metrics.scrape(undefined), metrics.scrape('application/openmetrics-text')]
  resolve({ hearth_test_things: 1 })
  for (const { text } of await Promise.all(scrapes)) assert.match(text, /^hearth_test_things 1$/m)
  assert.equal(reads, 1)
})

test('undefined and non-numeric values are left out, and no series appears twice', async (context) => {
  const collector = defineCollector({
    name: 'gaps',
    figures: {
      hearth_test_absent: { type: 'gauge', help: 'x' },
      hearth_test_nan: { type: 'gauge', help: 'x' },
      hearth_test_some: { type: 'gauge', help: 'x' },
    },
    read: () => ({
      hearth_test_absent: undefined,
      hearth_test_nan: Number.NaN,
      hearth_test_some: [
        [{ kind: 'a' }, undefined],
        [{ kind: 'b"\\' }, 2],
        [{ kind: 'b"\\' }, 3],
      ],
    }),
  })
  const text = await (await serve(context, { collectors: [collector] })).scrape()
  assert.doesNotMatch(text, /absent|nan|kind="a"/)
  assert.deepEqual(text.match(/^hearth_test_some.*$/gm), ['hearth_test_some{kind="b\\"\\\\"} 2'])
})

test('the format is OpenMetrics for a scraper that prefers it, and plain text otherwise', async (context) => {
  const { get } = await serve(context, { collectors: [working] })
  const prometheus =
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
  const open = await get('/metrics', { accept: prometheus })
  assert.equal(open.headers['content-type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8')
  assert.match(open.payload, /^# TYPE hearth_scrape_errors counter$/m)
  assert.match(open.payload, /^hearth_scrape_errors_total\{collector="working"\} 0$/m)
  assert.match(open.payload, /# EOF\n$/)
  for (const accept of ['', 'text/html,*/*;q=0.8', 'text/plain, application/openmetrics-text;q=0.5']) {
    const plain = await get('/metrics', accept === '' ? {} : { accept })
    assert.equal(plain.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    assert.match(plain.payload, /^# TYPE hearth_scrape_errors_total counter$/m)
    assert.doesNotMatch(plain.payload, /EOF/)
  }
})

test('names() lists every metric of a scrape', async (context) => {
  const { get, scrape, metrics } = await serve(context, { collectors: [working] })
  await get('/api/things/1')
  const shown = Array.from((await scrape()).matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name)
  const names = new Set(metrics.names())
  assert.deepEqual(
    shown.filter((name) => !names.has(name)),
    [],
  )
})

test('promtool accepts the metrics', { skip: promtoolObstacle() }, async (context) => {
  const { get, scrape } = await serve(context, { collectors: [working] })
  await get('/api/things/1')
  assert.equal(await promtoolProblems(['check', 'metrics'], await scrape()), '')
  assert.match(await promtoolProblems(['check', 'metrics'], '# TYPE things_total gauge\nthings_total 1\n'), /_total/)
})
