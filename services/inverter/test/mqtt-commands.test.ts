import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { catalog, main, startGateway } from './in-process.ts'
import { componentsOf, configureMqtt, published, publishing, resultOf, viewMqtt } from './mqtt-fixture.ts'
import { mosquittoObstacle, startBroker } from './mosquitto.ts'

const skip = mosquittoObstacle()
const controls = { offers_controls: true }

test('an approved metric is a control that answers with its outcome', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  await using gateway = await startGateway()
  await gateway.isReady()
  await gateway.allowWriting('battery_soc_target', 'power_mng_soc_strategy', 'com_service')
  await configureMqtt(gateway, publishing(broker, controls))
  await eventually(
    () => Object.keys(componentsOf(listener)),
    (names) => names.includes('battery_soc_target_control'),
    { what: 'the control' },
  )
  const { com_service_5: button, power_mng_soc_strategy_control: select } = componentsOf(listener)
  assert.equal(button?.platform, 'button')
  assert.equal(select?.platform, 'select')

  await listener.publish('hearth/main/battery_soc_target/set', '61')
  const written = await resultOf(listener, 'battery_soc_target', ({ outcome }) => outcome === 'confirmed')
  assert.deepEqual([written.value, written.detail], [61, 'Written and read back'])
  await eventually(
    () => listener.state().get('hearth/main/battery_soc_target/state'),
    (text) => text === '61',
    { what: 'the new state' },
  )
  await listener.publish('hearth/main/power_mng_soc_strategy/set', 'constant')
  await resultOf(listener, 'power_mng_soc_strategy', ({ outcome, value }) => outcome === 'confirmed' && value === 1)
  await listener.publish('hearth/main/com_service/set', '5')
  const sent = await resultOf(listener, 'com_service', ({ outcome }) => outcome === 'sent')
  assert.match(sent.detail, /does not report/)
  const journal = await gateway.call('GET', main('/journal'))
  assert.ok(JSON.stringify(journal.body).includes('"caller":"MQTT"'), 'the journal names who wrote')
})

test('a command is refused in the words of the API, and writes nothing', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  await using gateway = await startGateway()
  await gateway.isReady()
  await gateway.allowWriting('battery_soc_target', 'power_mng_use_grid_power_enable')
  await configureMqtt(gateway, publishing(broker, controls))
  await published(listener)
  const before = gateway.inverter.registers.get('battery_soc_target')
  const refusals: [name: string, payload: string | Buffer, outcome: string][] = [
    ['battery_soc_target', '101', 'value_out_of_range'],
    ['battery_soc_target', '-1', 'value_out_of_range'],
    ['battery_soc_target', 'NaN', 'value_type_mismatch'],
    ['battery_soc_target', '0x10', 'value_type_mismatch'],
    ['battery_soc_target', '1e999', 'value_not_finite'],
    ['battery_soc_target', '', 'value_type_mismatch'],
    ['battery_soc_target', '{"value":50}', 'value_type_mismatch'],
    ['battery_soc_target', '9'.repeat(300), 'invalid_request'],
    ['battery_soc_target', Buffer.from([0xff, 0xfe]), 'invalid_request'],
    ['power_mng_use_grid_power_enable', 'ON', 'value_type_mismatch'],
    ['power_mng_soc_strategy', 'constant', 'write_not_allowed'],
    ['battery_soc', '50', 'write_not_allowed'],
    ['energy_action', 'hold', 'energy_manager_off'],
    ['energy_action', 'explode', 'invalid_request'],
    ['energy_target_soc', '99', 'value_out_of_range'],
  ]
  for (const [name, payload, expected] of refusals) {
    const from = listener.messages.length
    await listener.publish(`hearth/main/${name}/set`, payload)
    const result = await resultAfter(from, name)
    assert.equal(result.outcome, expected, `${name} ${String(payload).slice(0, 20)}: ${result.detail}`)
  }
  assert.deepEqual(gateway.inverter.registers.get('battery_soc_target'), before)

  const resultAfter1 = listener.messages.length
  for (const topic of ['hearth/other/battery_soc_target/set', 'hearth/main/no_such/set', 'hearth/main/a/b/set'])
    await listener.publish(topic, '50')
  await gateway.operate('PUT', '/admin/api/write-access', { enabled: false })
  await listener.publish('hearth/main/battery_soc_target/set', '50')
  assert.equal((await resultAfter(resultAfter1, 'battery_soc_target')).outcome, 'write_disabled')
  const answered = listener.messages.slice(resultAfter1).filter(({ topic }) => topic.endsWith('/result'))
  assert.deepEqual(
    answered.filter(({ text }) => text !== '').map(({ topic }) => topic),
    ['hearth/main/battery_soc_target/result'],
  )
  await eventually(
    () => Object.keys(componentsOf(listener)),
    (names) => names.length === 2,
    { what: 'no controls without write access' },
  )

  async function resultAfter(from: number, name: string) {
    const find = () =>
      listener.messages.slice(from).find(({ topic, text }) => topic === `hearth/main/${name}/result` && text !== '')
    const found = await eventually(find, (message) => message !== undefined, { what: `an answer about ${name}` })
    return JSON.parse(found?.text ?? '{}') as { outcome: string; detail: string }
  }
})

test('a retained command is not carried out at every connection, and a flood is refused', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  await listener.publish('hearth/main/battery_soc_target/set', '33', true)
  await using gateway = await startGateway({ speed: 1 })
  await gateway.isReady()
  await gateway.allowWriting('battery_soc_target')
  const before = gateway.inverter.registers.get('battery_soc_target')
  await configureMqtt(gateway, publishing(broker, controls))
  const refused = await resultOf(listener, 'battery_soc_target', () => true)
  assert.match(refused.detail, /retained/)
  assert.deepEqual(gateway.inverter.registers.get('battery_soc_target'), before)

  for (let number = 0; number < 200; number += 1) await listener.publish('hearth/main/battery_soc_target/set', '700')
  const limited = () => listener.messages.filter(({ text }) => text.includes('"rate_limited"')).length
  await eventually(limited, (count) => count > 0, { what: 'a refusal of the flood' })
  assert.ok(limited() < 20, 'a flood is not answered one by one')
  const { status } = await viewMqtt(gateway)
  assert.equal(status['commands_carried_out'], 0)
})

test('without controls nothing is offered and no command is heard', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  await using gateway = await startGateway()
  await gateway.isReady()
  await gateway.allowWriting('battery_soc_target')
  await configureMqtt(gateway, publishing(broker))
  await published(listener)
  assert.deepEqual(Object.keys(componentsOf(listener)), ['battery_soc', 'grid_power'])
  await listener.publish('hearth/main/battery_soc_target/set', '50')
  // What comes after it on the same connection has been heard: a second birth of Home Assistant.
  const from = listener.messages.length
  await listener.publish('homeassistant/status', 'online')
  await eventually(
    () => listener.messages.slice(from).some(({ topic }) => topic === 'hearth/main/battery_soc/state'),
    (isThere) => isThere,
    { what: 'the values again' },
  )
  assert.deepEqual(
    listener.messages.filter(({ topic }) => topic.endsWith('/result')),
    [],
  )
})

test('Home Assistant controls the battery in mode external, with target and power', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  await using gateway = await startGateway()
  await gateway.isReady()
  await gateway.allowDispatch()
  await configureMqtt(gateway, publishing(broker, controls))
  await published(listener)
  assert.equal(componentsOf(listener)['energy_action'], undefined, 'not offered while the mode is off')
  await gateway.operate('PUT', '/admin/api/energy/devices/main/mode', { mode: 'external' })
  await eventually(
    () => Object.keys(componentsOf(listener)),
    (names) => names.includes('energy_action'),
    { what: 'the controls of the battery' },
  )
  assert.equal(componentsOf(listener)['energy_max_power']?.['max'], 3000)
  const set = (name: string, payload: string) => listener.publish(`hearth/main/${name}/set`, payload)
  const state = (name: string) => () => listener.state().get(`hearth/main/${name}/state`)

  await set('energy_action', 'charge')
  const early = await resultOf(listener, 'energy_action', () => true)
  assert.equal(early.detail, 'target_soc_percent is required for charge')
  await set('energy_target_soc', '95')
  await resultOf(listener, 'energy_target_soc', ({ outcome }) => outcome === 'confirmed')
  await set('energy_max_power', '1500')
  await resultOf(listener, 'energy_max_power', ({ outcome }) => outcome === 'confirmed')
  await set('energy_action', 'charge')
  await resultOf(listener, 'energy_action', ({ outcome }) => outcome === 'confirmed')
  await eventually(state('energy_state'), (text) => text === 'charging', { what: 'a battery that is charged' })
  const { body } = await gateway.call('GET', main('/energy'))
  assert.deepEqual([body.action, body.target_soc_percent, body.power_limit_w], ['charge', 95, 1500])

  await set('energy_max_power', '1200')
  await eventually(
    async () => (await gateway.call('GET', main('/energy'))).body.power_limit_w,
    (watts) => watts === 1200,
    { what: 'the running action with its new power' },
  )
  await set('energy_action', 'auto')
  await eventually(state('energy_state'), (text) => text === 'automatic', { what: 'the automatic mode' })
  assert.equal(state('energy_action')(), 'auto')
  const registers = catalog.roles.dispatchRegisters
  assert.equal(registers.length, 4)
})
