import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { startGateway } from './in-process.ts'
import { componentsOf, configureMqtt, published, publishing, viewMqtt } from './mqtt-fixture.ts'
import { mosquittoObstacle, startBroker } from './mosquitto.ts'
import { componentProblems } from './home-assistant.ts'

const skip = mosquittoObstacle()

test('an inverter is discovered with its values, and removed from the broker with the device', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  await using gateway = await startGateway()
  await gateway.isReady()
  await configureMqtt(
    gateway,
    publishing(broker, { metrics: ['battery_soc', 'grid_power', 'energy_e_grid_feed_total'] }),
  )
  await published(listener)
  const state = await published(listener, 'hearth/main/energy_e_grid_feed_total/state')
  assert.equal(state.get('hearth/status'), 'online')
  assert.equal(state.get('hearth/main/status'), 'online')
  const soc = Number(state.get('hearth/main/battery_soc/state'))
  assert.ok(soc > 1 && soc <= 100, `${soc} is no percentage`)
  assert.ok(Number(state.get('hearth/main/energy_e_grid_feed_total/state')) > 0, 'a counter has no sign')
  const discovery = JSON.parse(state.get('homeassistant/device/hearth/main/config') ?? '{}')
  assert.deepEqual(Object.keys(discovery.components), ['battery_soc', 'grid_power', 'energy_e_grid_feed_total'])
  assert.deepEqual(discovery.device.identifiers, ['hearth/main'])

  await gateway.operate('DELETE', '/admin/api/devices/main')
  await eventually(
    () => [...listener.state()],
    (left) => left.length === 1,
    { what: 'a broker with nothing of the device' },
  )
  assert.deepEqual([...listener.state()], [['hearth/status', 'online']])
})

test('the default selection is published as a whole, and Home Assistant takes all of it', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  await using gateway = await startGateway()
  await gateway.isReady()
  const { settings } = await viewMqtt(gateway)
  const metrics = settings['metrics'] as string[]
  await configureMqtt(gateway, { enabled: true, url: broker.url, interval_seconds: 5 })
  await eventually(
    () => metrics.filter((name) => !listener.state().has(`hearth/main/${name}/state`)),
    (missing) => missing.length === 0,
    { what: 'every value', seconds: 60 },
  )
  const components = componentsOf(listener)
  assert.deepEqual(Object.values(components).flatMap(componentProblems), [])
  for (const { state_topic: topic, device_class: kind } of Object.values(components)) {
    const text = listener.state().get(String(topic)) ?? ''
    if (kind !== 'enum' && kind !== 'timestamp')
      assert.notEqual(text === 'None' ? NaN : Number(text), NaN, String(topic))
  }
})

test(
  'a metric that is published no more is removed with its value, and a switched-off MQTT leaves nothing',
  { skip },
  async () => {
    await using broker = await startBroker()
    await using listener = await broker.listen()
    await using gateway = await startGateway()
    await gateway.isReady()
    await configureMqtt(gateway, publishing(broker))
    await published(listener)
    await configureMqtt(gateway, { metrics: ['battery_soc'] })
    await eventually(
      () => Object.keys(componentsOf(listener)),
      (names) => names.length === 1,
      { what: 'one component' },
    )
    await eventually(
      () => listener.state().has('hearth/main/grid_power/state'),
      (isThere) => !isThere,
      { what: 'a broker without the value' },
    )
    const removal = listener.messages.find(({ text }) => text.includes('"grid_power":{"platform":"sensor"}'))
    assert.ok(removal !== undefined, 'Home Assistant removes an entity that has only its platform left')

    await configureMqtt(gateway, { enabled: false })
    await eventually(
      () => [...listener.state()],
      (left) => left.length === 0,
      { what: 'an empty broker' },
    )
    assert.equal((await viewMqtt(gateway)).status.state, 'off')
  },
)

test('another prefix moves the messages, and leaves none under the old one', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  await using gateway = await startGateway()
  await gateway.isReady()
  await configureMqtt(gateway, publishing(broker))
  await published(listener)
  await configureMqtt(gateway, { base_topic: 'home/pv', discovery_prefix: 'ha' })
  await published(listener, 'home/pv/main/battery_soc/state')
  const topics = [...listener.state().keys()]
  assert.ok(topics.includes('ha/device/home_2fpv/main/config'), topics.join(' '))
  assert.deepEqual(
    topics.filter((topic) => topic.startsWith('hearth/') || topic.startsWith('homeassistant/')),
    [],
  )
})

test('only what changed is published, and everything again when Home Assistant starts', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  await using gateway = await startGateway()
  await gateway.isReady()
  // A register that stays as it is.
  await configureMqtt(gateway, publishing(broker, { metrics: ['battery_soc', 'battery_bms_sn'] }))
  const topic = 'hearth/main/battery_bms_sn/state'
  await published(listener, topic)
  const count = () => listener.messages.filter((message) => message.topic === topic).length
  const rounds = () => listener.messages.filter((message) => message.topic === 'hearth/main/battery_soc/state').length
  await eventually(rounds, (number) => number > 3, { what: 'some rounds', seconds: 60 })
  assert.equal(count(), 1)
  await listener.publish('homeassistant/status', 'online')
  await eventually(count, (number) => number === 2, { what: 'the same value again' })
  const discoveries = listener.messages.filter((message) => message.topic.endsWith('/config'))
  assert.equal(discoveries.length, 2)
})

test('an inverter that falls silent is offline at the broker, and so is a gateway that stops', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  const gateway = await startGateway()
  await using _gateway = gateway
  await gateway.isReady()
  await configureMqtt(gateway, publishing(broker))
  await published(listener)
  const status = (topic: string) => () => listener.state().get(topic)
  await gateway.inverter.close()
  await eventually(status('hearth/main/status'), (text) => text === 'offline', { seconds: 60 })
  assert.equal(listener.state().get('hearth/status'), 'online')
  await gateway.stop()
  await eventually(status('hearth/status'), (text) => text === 'offline', { seconds: 60 })
})

test('counters go on after a restart, from where they were published', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  const topic = 'hearth/main/energy_e_load_total/state'
  const value = () => Number(listener.state().get(topic))
  await using gateway = await startGateway()
  await gateway.isReady()
  await configureMqtt(gateway, publishing(broker, { metrics: ['energy_e_load_total'] }))
  await published(listener, topic)
  const before = value()
  await gateway.stop()
  gateway.inverter.registers.set('energy_e_load_total', 5)
  await using again = await startGateway({ folder: gateway.folder, inverter: gateway.inverter, timers: gateway.timers })
  const from = listener.messages.length
  await again.isReady()
  await eventually(
    () => listener.messages.slice(from).some((message) => message.topic === topic),
    (isThere) => isThere,
    { what: 'the counter after the restart' },
  )
  const values = listener.messages.flatMap((message) => (message.topic === topic ? [Number(message.text)] : []))
  for (const [index, number] of values.entries()) assert.ok(number >= (values[index - 1] ?? 0), values.join(' '))
  assert.ok(value() >= before)
})
