import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, readEvents } from '@hearth/testing'
import { catalog, main, startGateway } from './in-process.ts'

const names = (count: number) =>
  catalog.objects
    .slice(0, count)
    .map(({ name }) => name)
    .join(',')

test('a batch has the preselected metrics by default, at most 32 names, and at most 8 with fresh=true', async () => {
  await using gateway = await startGateway({ speed: 50 })
  const all = await gateway.call('GET', main('/metrics'))
  assert.equal(all.body.metrics.length, 40)
  assert.deepEqual(all.body.errors, [])
  assert.equal((await gateway.call('GET', main(`/metrics?names=${names(32)}`))).status, 200)
  const code = async (query: string) => {
    const { status, body } = await gateway.call('GET', main(`/metrics?${query}`))
    return [status, body.code, body.errors?.[0]?.parameter]
  }
  assert.deepEqual(await code(`names=${names(33)}`), [422, 'batch_too_large', 'names'])
  assert.deepEqual(await code(`names=${names(9)}&fresh=true`), [422, 'fresh_batch_too_large', 'names'])
  assert.deepEqual(await code('fresh=true'), [422, 'invalid_request', 'names'])
  assert.deepEqual(await code('names=battery_soc,,grid_power'), [422, 'invalid_parameter', 'names'])
  assert.deepEqual(await code('names='), [422, 'invalid_parameter', 'names'])
  assert.deepEqual(await code('names=battery_soc,nothing'), [422, 'unknown_metric', 'names'])
  assert.deepEqual(await code('names=wifi_password'), [422, 'unknown_metric', 'names'])
  assert.deepEqual(await code('fresh=yes&names=battery_soc'), [422, 'invalid_parameter', 'fresh'])
  assert.deepEqual(await code('name=battery_soc'), [422, 'invalid_parameter', 'name'])
  const trimmed = await gateway.call('GET', main('/metrics?names=%20battery_soc%20,battery_soc'))
  assert.equal(trimmed.body.metrics.length, 1)
})

test('unknown devices and unknown metrics have different problem documents', async () => {
  await using gateway = await startGateway()
  const device = await gateway.call('GET', '/api/v1/devices/nobody/metrics/battery_soc')
  assert.deepEqual(
    [device.status, device.body.code, device.body.instance],
    [404, 'unknown_device', '/api/v1/devices/nobody/metrics/battery_soc'],
  )
  assert.match(device.headers['content-type'] ?? '', /^application\/problem\+json/)
  assert.equal(device.body.type, 'urn:device-api:problem:unknown_device')
  assert.equal(device.body.correlation_id, device.headers['x-request-id'])
  const metric = await gateway.send('GET', main('/metrics/wifi_password'), {
    token: gateway.tokens.read,
    headers: { 'x-request-id': 'my-own_1' },
  })
  assert.deepEqual([metric.status, metric.body.code, metric.body.correlation_id], [404, 'unknown_metric', 'my-own_1'])
  const method = await gateway.call('POST', main('/metrics'))
  assert.deepEqual([method.status, method.body.code, method.headers['allow']], [405, 'method_not_allowed', 'GET'])
  assert.equal((await gateway.call('GET', '/api/v1/nothing')).body.code, 'not_found')
  assert.equal(metric.headers['cache-control'], 'no-store')
})

test('the metric list has every object but the structured one, and says which are writable', async () => {
  await using gateway = await startGateway({ device: null })
  await gateway.allowWriting('battery_soc_target', 'com_service')
  const { body } = await gateway.call('GET', '/api/v1/metrics')
  assert.equal(body.length, 893)
  const metric = (name: string) => body.find((entry: { name: string }) => entry.name === name)
  assert.deepEqual(metric('battery_soc_target'), {
    name: 'battery_soc_target',
    unit: '%',
    value_type: 'number',
    writable: true,
    preselected: false,
    is_action: false,
    help_text: null,
  })
  assert.equal(metric('inverter_state').value_type, 'enum')
  assert.equal(body.filter(({ writable }: { writable: boolean }) => writable).length, 2)
  assert.equal(body.filter(({ preselected }: { preselected: boolean }) => preselected).length, 40)
})

test('a write needs an approved metric, the right type and exactly one member', async () => {
  await using gateway = await startGateway({ speed: 50 })
  await gateway.allowWriting('battery_soc_target', 'com_service', 'pas_period')
  const put = async (name: string, body: unknown) => {
    const reply = await gateway.call('PUT', main(`/metrics/${name}`), body)
    return [reply.status, reply.body.code ?? reply.body.readback_value]
  }
  const wireBefore = gateway.inverter.wire.length
  assert.deepEqual(await put('power_mng_soc_strategy', { value: 2 }), [403, 'write_not_allowed'])
  assert.deepEqual(await put('com_service', { value: 5 }), [409, 'metric_is_action'])
  assert.deepEqual(await put('nothing', { value: 5 }), [404, 'unknown_metric'])
  assert.deepEqual(await put('battery_soc_target', { value: 101 }), [422, 'value_out_of_range'])
  assert.deepEqual(await put('battery_soc_target', { value: '80' }), [422, 'value_type_mismatch'])
  assert.deepEqual(await put('battery_soc_target', { value: null }), [422, 'invalid_request'])
  assert.deepEqual(await put('battery_soc_target', { value: 80, force: true }), [422, 'invalid_request'])
  assert.deepEqual(await put('battery_soc_target', {}), [422, 'invalid_request'])
  assert.deepEqual(await put('battery_soc_target', [80]), [422, 'invalid_request'])
  assert.deepEqual(await put('battery_soc_target', '{"value": 80'), [422, 'invalid_request'])
  const writes = gateway.inverter.wire.slice(wireBefore).filter(({ frame }) => frame?.command === 'write')
  assert.deepEqual(
    writes.filter(({ frame }) => frame?.objectId !== catalog.byName('pas_period')?.objectId),
    [],
  )
  assert.deepEqual(await put('battery_soc_target', '{"value": 80.0}'), [200, 80])
  assert.equal(gateway.inverter.registers.get('battery_soc_target'), Math.fround(0.8))
  const action = await gateway.call('POST', main('/actions/com_service'), { value: 5 })
  assert.deepEqual(
    [action.status, action.body.action_confirmed, typeof action.body.action_note],
    [200, false, 'string'],
  )
  assert.equal((await gateway.call('POST', main('/actions/com_service'), { value: 6 })).body.code, 'value_out_of_range')
  assert.equal(
    (await gateway.call('POST', main('/actions/battery_soc_target'), { value: 80 })).body.code,
    'unknown_metric',
  )
  const large = await gateway.call('PUT', main('/metrics/battery_soc_target'), { value: 'x'.repeat(600_000) })
  assert.deepEqual([large.status, large.body.code], [413, 'invalid_request'])
})

test('a scrape has counters and values, sends nothing to the device and obeys the scraper settings', async () => {
  await using gateway = await startGateway()
  await gateway.call('GET', main('/metrics/battery_soc'))
  const before = gateway.inverter.wire.filter(({ direction }) => direction === 'in').length
  const scrape = (token?: string, from = '127.0.0.1') => gateway.send('GET', '/metrics', { token, from })
  const { status, text, headers } = await scrape(gateway.tokens.read)
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
  for (const name of [
    'transport_crc_errors_total',
    'transport_framing_errors_total',
    'transport_bytes_discarded_total',
    'transport_unexpected_frames_total',
    'transport_foreign_access_suspected',
    'device_periodic_registrations',
    'device_errors_total',
    'device_last_success_timestamp_seconds',
  ])
    assert.match(text, new RegExp(`^vendor_${name}\\{.*\\} \\d`, 'm'), name)
  assert.match(text, /^vendor_battery_soc_ratio\{device="main"\} 0\.\d+$/m)
  assert.doesNotMatch(text, /wifi_password|connection_epoch/)
  for (let count = 0; count < 20; count += 1) await scrape(gateway.tokens.read)
  const after = gateway.inverter.wire.filter(
    ({ frame }) => frame?.objectId === catalog.byName('household_load_power')?.objectId,
  )
  assert.ok(after.length <= before + 5)
  assert.equal((await scrape()).status, 401)
  const { settings } = (await gateway.operate('GET', '/admin/api/settings')) as { settings: { scraper: object } }
  const scraper = { ...settings.scraper, token_required: false, sources: ['192.0.2.0/24'], metrics: ['inverter_state'] }
  await gateway.operate('PUT', '/admin/api/settings', { ...settings, scraper })
  assert.equal((await scrape(undefined, '192.0.2.9')).status, 200)
  assert.equal((await scrape(undefined, '198.51.100.9')).status, 401)
  await gateway.call('GET', main('/metrics/inverter_state'))
  const chosen = await scrape(undefined, '192.0.2.9')
  assert.match(chosen.text, /^vendor_inverter_state\{device="main",state="feed_in"\} 1$/m)
  assert.doesNotMatch(chosen.text, /battery_soc/)
})

test('the event stream starts with hello, sends values, and ends when its token is revoked', async () => {
  await using gateway = await startGateway({ speed: 20 })
  const http = gateway.service.app.http
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  const made = (await gateway.operate('POST', '/admin/api/tokens', { name: 'listener', role: 'read' })) as {
    id: string
    token: string
  }
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/stream`, {
    headers: { authorization: `Bearer ${made.token}` },
  })
  const seen: Record<string, unknown>[] = []
  const reading = (async () => {
    for await (const event of readEvents<Record<string, unknown>>(answer.body!)) seen.push(event)
  })()
  await eventually(
    () => seen,
    (events) => events.some(({ type }) => type === 'values'),
  )
  assert.equal(seen[0]?.['type'], 'hello')
  await gateway.operate('DELETE', `/admin/api/tokens/${made.id}`)
  await reading
  assert.equal(
    seen.some(({ type }) => type === 'changed'),
    false,
  )
})

test('the shortcut for cached values answers exactly like the route', async () => {
  await using gateway = await startGateway({
    speed: 1,
    environment: { RATE_LIMIT_EXEMPT: '', RATE_LIMIT_PER_MINUTE: '20' },
  })
  const http = gateway.service.app.http
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  const read = async (path: string, token: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
    const sent: Record<string, string> = Object.fromEntries(answer.headers)
    return { status: answer.status, headers: sent, body: (await answer.json()) as Record<string, unknown> }
  }
  const path = main('/metrics/battery_voltage')
  assert.equal((await read(path, gateway.tokens.read)).body['source'], 'device')
  const slow = await gateway.send('GET', path, { token: gateway.tokens.read })
  const quick = await read(path, gateway.tokens.read, { 'x-request-id': 'mine' })
  assert.equal(quick.headers['x-request-id'], 'mine')
  const withoutTimes = (headers: Record<string, unknown>) =>
    Object.keys(headers)
      .filter((name) => !['date', 'connection', 'keep-alive'].includes(name))
      .sort()
  assert.deepEqual(withoutTimes(quick.headers), withoutTimes(slow.headers))
  for (const name of ['content-security-policy', 'content-type', 'cache-control', 'x-ratelimit-limit'])
    assert.equal(quick.headers[name], slow.headers[name], name)
  assert.deepEqual({ ...quick.body, age_seconds: 0 }, { ...slow.body, age_seconds: 0 })
  assert.deepEqual(Object.keys(quick.body), Object.keys(slow.body))
  assert.equal(Number(slow.headers['x-ratelimit-remaining']) - Number(quick.headers['x-ratelimit-remaining']), 1)
  assert.equal((await read(path, 'pat_wrong')).body['code'], 'invalid_token')
  let last = quick
  for (let count = 0; count < 20 && last.status === 200; count += 1) last = await read(path, gateway.tokens.read)
  assert.deepEqual([last.status, last.body['code']], [429, 'rate_limited'])
  const made = (await gateway.operate('POST', '/admin/api/tokens', { name: 'short', role: 'read' })) as {
    id: string
    token: string
  }
  assert.equal((await read(path, made.token)).status, 200)
  assert.equal((await read(path, made.token)).status, 200)
  await gateway.operate('DELETE', `/admin/api/tokens/${made.id}`)
  assert.equal((await read(path, made.token)).body['code'], 'invalid_token')
})

test('a value that is not sent periodically is served from the cache for ten seconds only', async () => {
  await using gateway = await startGateway({ speed: 50, simulator: { faults: { ignorePeriodic: true } } })
  await gateway.call('GET', main('/metrics/grid_power'))
  await gateway.timers.delay(11_000)
  assert.equal((await gateway.call('GET', main('/metrics/grid_power'))).body.source, 'device')
})

test('an invalid value does not mark the device as unreachable', async () => {
  await using gateway = await startGateway()
  await gateway.isReady()
  gateway.inverter.setFaults({ payloads: { battery_voltage: '00' } })
  for (let count = 0; count < 5; count += 1)
    assert.equal((await gateway.call('GET', main('/metrics/battery_voltage?fresh=true'))).status, 502)
  const { status, body } = await gateway.call('GET', '/api/v1/readiness')
  assert.deepEqual([status, body.devices[0].state], [200, 'ok'])
})

test('the event stream reports when a device becomes unreachable and recovers', async () => {
  await using gateway = await startGateway({ speed: 50 })
  await gateway.isReady()
  const seen: { type: string; device?: { state: string } }[] = []
  const { events } = gateway.service.app
  const stream = await events.open({ name: 'test', via: { kind: 'operator' } }, () => Promise.resolve(true))
  stream?.on('data', (chunk) => {
    for (const [, data] of String(chunk).matchAll(/^data: (.*)$/gm))
      seen.push(JSON.parse(data!) as (typeof seen)[number])
  })
  const states = () => seen.flatMap(({ type, device }) => (type === 'readiness' ? [device!.state] : []))
  await eventually(states, (list) => list.includes('ok'))
  gateway.inverter.setFaults({ refuse: true })
  await eventually(states, (list) => list.includes('unreachable'), { seconds: 20 })
  gateway.inverter.clearFaults()
  await eventually(states, (list) => list.at(-1) === 'ok', { seconds: 20 })
  stream?.destroy()
})

test('the event stream reports edits to administrators, but not to API tokens', async () => {
  await using gateway = await startGateway({ device: null })
  const { events } = gateway.service.app
  const listen = async (kind: 'operator' | 'token') => {
    const via = kind === 'operator' ? { kind } : { kind, id: 'x', role: 'read' as const }
    const stream = await events.open({ name: kind, via }, () => Promise.resolve(true))
    const seen: string[] = []
    stream?.on('data', (chunk) => seen.push(String(chunk)))
    return seen
  }
  const [administrator, program] = [await listen('operator'), await listen('token')]
  await gateway.operate('POST', '/admin/api/devices', {
    device_id: 'main',
    host: '127.0.0.1',
    port: gateway.inverter.port,
  })
  await gateway.operate('PUT', '/admin/api/dispatch/devices/main/capabilities/export_limit_convention', {
    status: 'unverified',
  })
  const edited = () => administrator.join('').match(/"collection":"\w+"/g)
  await eventually(edited, (list) => list?.includes('"collection":"capabilities"') === true)
  assert.deepEqual([...new Set(edited())], ['"collection":"devices"', '"collection":"capabilities"'])
  assert.ok(!program.join('').includes('"changed"'))
})
