import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { eventually, freePort, startTcpProxy, startWebhookReceiver } from '@hearth/testing'
import { pino } from 'pino'
import { createFastTimers, type Log } from '@hearth/runtime'
import { startGateway } from './in-process.ts'
import { configureMqtt, mqttChange, published, publishing, resultOf, viewMqtt } from './mqtt-fixture.ts'
import { mosquittoObstacle, startBroker } from './mosquitto.ts'

const skip = mosquittoObstacle()

/** A log whose lines about MQTT a test can count. */
function collectedLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const text = chunk.toString()
      if (text.includes('MQTT')) lines.push(text)
      done()
    },
  })
  return { log: pino({ level: 'debug' }, sink), lines }
}

test(
  'a broker that is stopped and started again has everything anew, and what was removed meanwhile is removed',
  { skip },
  async () => {
    await using broker = await startBroker()
    const { log, lines } = collectedLog()
    await using gateway = await startGateway({ log })
    await gateway.isReady()
    await configureMqtt(gateway, publishing(broker))
    await eventually(
      () => viewMqtt(gateway),
      ({ status }) => status.state === 'connected',
    )
    await broker.stop()
    await eventually(
      () => viewMqtt(gateway),
      ({ status }) => status.state === 'waiting' && status.last_error?.includes('nothing listens') === true,
      { what: 'a lost connection with its reason' },
    )
    await broker.start()
    await using listener = await broker.listen()
    await published(listener)
    const { status } = await viewMqtt(gateway)
    assert.deepEqual([status.state, status.last_error], ['connected', null])
    assert.ok(lines.length <= 4, `${lines.length} lines in the log:\n${lines.join('')}`)

    // Removed while the broker is away, which keeps what was retained: a second path to it is cut.
    await using proxy = await startTcpProxy(`http://127.0.0.1:${broker.port}`)
    await configureMqtt(gateway, { url: `mqtt://127.0.0.1:${proxy.port}` })
    await published(listener)
    proxy.cut()
    await eventually(
      () => listener.state().get('hearth/status'),
      (text) => text === 'offline',
      { what: 'the last will' },
    )
    await eventually(
      () => viewMqtt(gateway),
      ({ status }) => status.state === 'waiting',
    )
    await gateway.operate('DELETE', '/admin/api/devices/main')
    proxy.restore()
    await eventually(
      () => [...listener.state()],
      (left) => left.length === 1,
      { what: 'a broker with nothing of the device' },
    )
  },
)

test('a broker that comes and goes costs one line in the log a minute at most', { skip }, async () => {
  await using broker = await startBroker()
  const timers = createFastTimers(60)
  const at: number[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (chunk.toString().includes('MQTT')) at.push(timers.monotonic())
      done()
    },
  })
  await using gateway = await startGateway({ timers, log: pino({ level: 'debug' }, sink) })
  await gateway.isReady()
  await configureMqtt(gateway, publishing(broker))
  const state = (wanted: string) =>
    eventually(
      () => viewMqtt(gateway),
      ({ status }) => status.state === wanted,
      { what: wanted, seconds: 60 },
    )
  const begin = timers.monotonic()
  let rounds = 0
  for (; rounds < 6 || timers.monotonic() - begin < 600_000; rounds += 1) {
    await state('connected')
    await broker.stop()
    await state('waiting')
    await broker.start()
  }
  const gaps = at.slice(1).map((moment, index) => moment - (at[index] ?? 0))
  assert.ok(at.length >= 3 && at.length < rounds * 2, `${at.length} lines for ${rounds} rounds`)
  assert.ok(Math.min(...gaps) >= 60_000, gaps.join(' '))
})

test('a broker that freezes is noticed, and values go on when it thaws', { skip }, async () => {
  await using broker = await startBroker()
  await using gateway = await startGateway({ speed: 40 })
  await gateway.isReady()
  await configureMqtt(gateway, publishing(broker))
  await eventually(
    () => viewMqtt(gateway),
    ({ status }) => status.state === 'connected',
  )
  broker.freeze()
  await eventually(
    () => viewMqtt(gateway),
    ({ status }) => status.state !== 'connected' && status.last_error !== null,
    { what: 'a broker that is given up', seconds: 60 },
  )
  assert.match((await viewMqtt(gateway)).status.last_error ?? '', /fell silent|did not answer/)
  broker.thaw()
  await using listener = await broker.listen()
  await eventually(
    () => viewMqtt(gateway),
    ({ status }) => status.state === 'connected',
    { seconds: 60 },
  )
  await published(listener)
})

test('a broker that is full refuses, and takes the gateway as soon as it has room', { skip }, async () => {
  await using broker = await startBroker({ settings: ['max_connections 2'] })
  await using others = new AsyncDisposableStack()
  // How many are let in differs by one or two: the broker counts connections that say nothing too.
  const occupy = () => broker.listen().then((listener) => others.use(listener))
  await eventually(
    () => occupy().catch(() => undefined),
    (listener) => listener === undefined,
    { what: 'a full broker' },
  )
  await using gateway = await startGateway()
  await gateway.isReady()
  await configureMqtt(gateway, publishing(broker))
  await eventually(
    () => viewMqtt(gateway),
    ({ status }) =>
      status.state === 'waiting' && /closed the connection|was cut|not ready/.test(status.last_error ?? ''),
    { what: 'a refusal' },
  )
  await others.disposeAsync()
  await eventually(
    () => viewMqtt(gateway),
    ({ status }) => status.state === 'connected',
    { what: 'a connection', seconds: 60 },
  )
})

test('a broker that takes nothing makes messages wait, the newest of each topic and no more', { skip }, async () => {
  // Accepts the connection, and then reads nothing.
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(Buffer.from([0x20, 2, 0, 0]))
      socket.write(Buffer.from([0x90, 3, 0, 1, 0]))
      socket.pause()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using gateway = await startGateway({ speed: 40 })
  await gateway.isReady()
  await configureMqtt(gateway, publishing({ url: `mqtt://127.0.0.1:${port}` }))
  await eventually(
    () => viewMqtt(gateway),
    ({ status }) => status.last_error?.includes('fell silent') === true,
    { what: 'a broker that is given up', seconds: 60 },
  )
  assert.ok(Number((await viewMqtt(gateway)).status['waiting']) < 10)
  for (const socket of sockets) socket.destroy()
  server.close()
})

test(
  'a broker that refuses or speaks something else is reported in words, and no secret is in them',
  { skip },
  async () => {
    const user = { name: 'hearth', password: 'only-the-broker-knows' }
    await using broker = await startBroker({ user })
    await using secure = await startBroker({ tls: { wantsCertificate: true }, user })
    await using gateway = await startGateway()
    const detail = async (changes: Record<string, unknown>) => {
      const body = await mqttChange(gateway, { url: broker.url, ...changes })
      return (await gateway.operate('POST', '/admin/api/mqtt/test', body)) as { is_connected: boolean; detail: string }
    }
    const credentials = { username: user.name, password: user.password }
    assert.equal((await detail(credentials)).is_connected, true)
    const closed = await freePort()
    const tls = { ...credentials, url: secure.url, ca_certificate: secure.certificates.ca }
    const cases: [Record<string, unknown>, RegExp][] = [
      [{}, /refuses user name or password/],
      [{ ...credentials, password: 'wrong-password' }, /refuses user name or password/],
      [{ ...credentials, url: `mqtt://127.0.0.1:${closed}` }, /nothing listens/],
      [{ ...credentials, url: `mqtts://localhost:${broker.port}` }, /does not speak TLS|the connection was cut/],
      [{ ...credentials, url: secure.url }, /certificate of the broker is private/],
      [{ ...tls, url: `mqtts://127.0.0.1:${secure.port}` }, /for another name/],
      [tls, /wants a client certificate|refuses the client certificate|was cut|closed the connection/],
    ]
    for (const [changes, expected] of cases) {
      const result = await detail(changes)
      assert.equal(result.is_connected, false)
      assert.match(result.detail, expected)
      assert.ok(!result.detail.includes(user.password))
    }
    const client = { client_certificate: secure.certificates.client, client_key: secure.certificates.clientKey }
    assert.deepEqual(await detail({ ...tls, ...client }), {
      is_connected: true,
      detail: `Connected to localhost:${secure.port}`,
    })

    // The same, stored: values arrive over TLS with user and certificate, and the secrets are never given back.
    await configureMqtt(gateway, publishing(secure, { ...tls, ...client }))
    await using listener = await secure.listen()
    await published(listener)
    const { text } = await gateway.send('GET', '/admin/api/mqtt', { token: gateway.tokens.write })
    assert.ok(text.includes('insufficient_scope'), text)
    const view = JSON.stringify(await viewMqtt(gateway))
    assert.ok(!view.includes(user.password) && !view.includes('PRIVATE KEY'), 'secrets stay inside')
    assert.deepEqual((await viewMqtt(gateway)).settings['has_password'], true)
  },
)

test('the service stops in time, whatever its broker leaves unanswered', async () => {
  // Nothing at all, and the connection but no subscription.
  for (const answer of [[], [0x20, 2, 0, 0]]) {
    const asked = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.write(Buffer.from(answer), () => asked.resolve()))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await using gateway = await startGateway({ speed: 1, device: null })
    await configureMqtt(gateway, publishing({ url: `mqtt://127.0.0.1:${port}` }))
    await asked.promise
    const begin = performance.now()
    await gateway.stop()
    assert.ok(performance.now() - begin < 8000, 'the broker held the service up')
    server.close()
  }
})

test('wrong settings are refused with the member that is wrong', async () => {
  await using gateway = await startGateway({ device: null })
  const browser = await gateway.signIn()
  const refusal = async (changes: Record<string, unknown>) => {
    const body = await mqttChange(gateway, changes)
    const { status, body: problem } = await browser.send('PUT', '/admin/api/mqtt', { body })
    return [status, problem.errors?.[0]?.parameter]
  }
  const cases: [Record<string, unknown>, string][] = [
    [{ enabled: true }, 'url'],
    [{ url: 'http://broker' }, 'url'],
    [{ url: 'mqtt://user:secret@broker' }, 'url'],
    [{ url: 'mqtt://broker/path' }, 'url'],
    [{ url: 'mqtt://broker:70000' }, 'url'],
    [{ base_topic: 'a/#' }, 'base_topic'],
    [{ base_topic: '' }, 'base_topic'],
    [{ discovery_prefix: '+' }, 'discovery_prefix'],
    [{ metrics: ['no_such'] }, 'metrics'],
    [{ metrics: ['com_service'] }, 'metrics'],
    [{ metrics: ['battery_soc', 'battery_soc'] }, 'metrics'],
    [{ interval_seconds: 1 }, 'interval_seconds'],
    [{ ca_certificate: 'x' }, 'ca_certificate'],
    [{ password: 'secret' }, 'username'],
    [{ moon: true }, 'moon'],
  ]
  for (const [changes, member] of cases)
    assert.deepEqual(await refusal(changes), [422, member], JSON.stringify(changes))

  // A password goes to the broker it was entered for, and to no other address.
  await configureMqtt(gateway, { url: 'mqtt://one.example', username: 'hearth', password: 'secret' })
  assert.deepEqual(await refusal({ url: 'mqtt://two.example' }), [422, 'password'])
  await configureMqtt(gateway, { url: 'mqtt://two.example', password: null, username: '' })
})

test('the outcome of a command reaches a broker that was away when it ended', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  await using proxy = await startTcpProxy(`http://127.0.0.1:${broker.port}`)
  await using gateway = await startGateway({ speed: 5 })
  await gateway.isReady()
  await gateway.allowWriting('battery_soc_target')
  await configureMqtt(gateway, publishing({ url: `mqtt://127.0.0.1:${proxy.port}` }, { offers_controls: true }))
  await published(listener, 'hearth/main/battery_soc_target/state')
  await listener.publish('hearth/main/battery_soc_target/set', '44')
  await eventually(
    () => gateway.inverter.registers.get('battery_soc_target'),
    (value) => Math.abs(Number(value) - 0.44) < 0.001 || Number(value) === 44,
    { what: 'the write', everyMs: 1 },
  )
  proxy.cut()
  await eventually(
    () => viewMqtt(gateway),
    ({ status }) => status.state === 'waiting',
  )
  proxy.restore()
  const result = await resultOf(listener, 'battery_soc_target', ({ outcome }) => outcome === 'confirmed')
  assert.equal(result.value, 44)
})

test('people are told of a broker that stays away, and when it is back', { skip }, async () => {
  await using receiver = await startWebhookReceiver()
  await using broker = await startBroker()
  await using gateway = await startGateway({ speed: 300, environment: { OUTBOUND_ALLOW: '127.0.0.1' } })
  await gateway.isReady()
  await gateway.operate('POST', '/admin/api/notifications/destinations', {
    name: 'Hook',
    is_enabled: true,
    target: { kind: 'webhook', url: receiver.url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
    rules: {
      classes: ['mqtt.disconnected'],
      minimum_severity: 'info',
      time_zone: 'UTC',
      quiet_hours: null,
      digest: { every: 'message' },
    },
  })
  await broker.stop()
  await configureMqtt(gateway, publishing(broker))
  await eventually(receiver.titles, (titles) => titles.includes('The MQTT broker is unreachable'), { seconds: 60 })
  await broker.start()
  await eventually(receiver.titles, (titles) => titles.includes('The MQTT broker is reachable again'), { seconds: 60 })
  assert.equal(receiver.titles().length, 2)
})
