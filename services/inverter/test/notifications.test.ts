import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually, startWebhookReceiver } from '@hearth/testing'
import { startSimulator } from '../src/simulator/simulator.ts'
import { catalog, startGateway } from './in-process.ts'

const destinations = '/admin/api/notifications/destinations'
const environment = { OUTBOUND_ALLOW: '127.0.0.1', PUBLIC_URL: 'https://inverter.example.org' }
const hook = (url: string) => ({
  name: 'Hook',
  is_enabled: true,
  target: { kind: 'webhook', url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
  rules: {
    classes: null,
    minimum_severity: 'info',
    time_zone: 'UTC',
    quiet_hours: null,
    digest: { every: 'message' },
  },
})

test('a fault is told when it begins and when it is over, with a link', async () => {
  await using receiver = await startWebhookReceiver()
  await using gateway = await startGateway({ environment, speed: 30 })
  gateway.inverter.registers.set('fault_0_flt', 0)
  await gateway.isReady()
  await gateway.operate('POST', destinations, hook(receiver.url))
  gateway.inverter.registers.set('fault_0_flt', 2 ** 25)
  const [begun] = await eventually(
    () => receiver.received,
    (received) => received.length > 0,
    { seconds: 30 },
  )
  assert.deepEqual([begun?.type, begun?.state, begun?.title], ['inverter.fault', 'began', 'Fault at main: insulation'])
  assert.equal(begun?.link, 'https://inverter.example.org/inverters/main')
  gateway.inverter.registers.set('fault_0_flt', 0)
  await eventually(receiver.titles, (titles) => titles.length === 2, { seconds: 30 })
  assert.deepEqual(receiver.titles(), ['Fault at main: insulation', 'Fault at main is over: insulation'])
})

test('an inverter that falls silent is told once, and once more when it answers', async () => {
  await using receiver = await startWebhookReceiver()
  const timers = createFastTimers(30)
  const first = await startSimulator({ port: 0, timers, catalog, seed: 1 })
  const { port } = first
  await using gateway = await startGateway({ environment, timers, inverter: first })
  await gateway.isReady()
  await gateway.operate('POST', destinations, hook(receiver.url))
  await first.close()
  await eventually(receiver.titles, (titles) => titles.length > 0, { seconds: 60 })
  const again = await startSimulator({ port, timers, catalog, seed: 1 })
  await eventually(receiver.titles, (titles) => titles.includes('Inverter main answers again'), { seconds: 60 })
  assert.deepEqual(receiver.titles(), ['Inverter main is unreachable', 'Inverter main answers again'])
  await again.close()
})

test('destinations are for the administrator, and tokens of the API do not reach them', async () => {
  await using gateway = await startGateway()
  for (const token of [gateway.tokens.read, gateway.tokens.write])
    assert.equal((await gateway.send('GET', destinations, { token })).status, 403)
  assert.equal((await gateway.send('GET', destinations)).status, 401)
  const administrator = await gateway.signIn()
  const made = await administrator.send('POST', destinations, { body: hook('http://192.168.1.9/hook') })
  assert.equal(made.status, 201)
  const { id } = made.body
  const tested = await administrator.send('POST', `${destinations}/${id}/test`)
  assert.equal(tested.body.is_delivered, false)
  assert.match(tested.body.detail, /does not lead to a public address.*OUTBOUND_ALLOW/)
  const wrong = { ...hook('https://example.org'), rules: { ...hook('').rules, classes: ['moon'] } }
  const refused = await administrator.send('PUT', `${destinations}/${id}`, { body: wrong })
  assert.deepEqual([refused.status, refused.body.errors[0].parameter], [422, 'rules.classes'])
  assert.equal((await administrator.send('DELETE', `${destinations}/${id}`)).status, 200)
  assert.equal((await administrator.send('DELETE', `${destinations}/${id}`)).status, 404)
})
