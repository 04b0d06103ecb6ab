import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { giveOwnSettings, ownSettings, registersOf } from './battery.ts'
import { catalog, startGateway, type TestGateway } from './in-process.ts'
import { configureMqtt, published, publishing, viewMqtt, type CommandResult } from './mqtt-fixture.ts'
import { mosquittoObstacle, startBroker, type Listener } from './mosquitto.ts'

/** Commands by MQTT at the gate that those of the API go through: who may do what, and what nobody may. */

const skip = mosquittoObstacle()
const registers = catalog.roles.dispatchRegisters
const [metric, action, battery] = ['battery_soc_target', 'com_service', 'energy_action'] as const

/** Sends a command and resolves with its answer. */
async function command(listener: Listener, name: string, payload: string | Buffer): Promise<CommandResult> {
  const from = listener.messages.length
  await listener.publish(`hearth/main/${name}/set`, payload)
  const find = () =>
    listener.messages.slice(from).find(({ topic, text }) => topic === `hearth/main/${name}/result` && text !== '')
  const found = await eventually(find, (message) => message !== undefined, { what: `an answer about ${name}` })
  return JSON.parse(found?.text ?? '{}') as CommandResult
}

const mode = (gateway: TestGateway, name: string) =>
  gateway.operate('PUT', '/admin/api/energy/devices/main/mode', { mode: name })

const access = (gateway: TestGateway, isOn: boolean) =>
  gateway.operate('PUT', '/admin/api/write-access', { enabled: isOn })

/** What is done before the commands, and the outcome of each: a metric, an action, and one to the battery. */
const matrix: readonly (readonly [what: string, prepare: (gateway: TestGateway) => Promise<unknown>, string[]])[] = [
  ['without write access', (gateway) => access(gateway, false), ['write_disabled', 'write_disabled', 'write_disabled']],
  [
    'with write access and nothing approved',
    (gateway) => access(gateway, true),
    ['write_not_allowed', 'write_not_allowed', 'energy_manager_off'],
  ],
  [
    'with everything approved, and the battery in mode off',
    async (gateway) => {
      await gateway.allowDispatch()
      await gateway.allowWriting(metric, action)
    },
    ['confirmed', 'sent', 'energy_manager_off'],
  ],
  ['in mode manual', (gateway) => mode(gateway, 'manual'), ['confirmed', 'sent', 'energy_manager_not_external']],
  ['in mode external', (gateway) => mode(gateway, 'external'), ['confirmed', 'sent', 'confirmed']],
  [
    'in mode external without write access',
    (gateway) => access(gateway, false),
    ['write_disabled', 'write_disabled', 'write_disabled'],
  ],
]

test('a command by MQTT may do what the API may, at every stage of the gate', { skip }, async () => {
  await using broker = await startBroker()
  await using listener = await broker.listen()
  await using gateway = await startGateway()
  giveOwnSettings(gateway.inverter)
  await gateway.isReady()
  await configureMqtt(gateway, publishing(broker, { offers_controls: true }))
  await published(listener)
  let target = 60
  for (const [what, prepare, expected] of matrix) {
    await prepare(gateway)
    target += 1
    const before = gateway.inverter.registers.get(metric)
    const outcomes = [
      await command(listener, metric, String(target)),
      await command(listener, action, '0'),
      await command(listener, battery, 'hold'),
    ]
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      expected,
      `${what}: ${JSON.stringify(outcomes)}`,
    )
    if (expected[0] !== 'confirmed') assert.deepEqual(gateway.inverter.registers.get(metric), before, what)
    if (expected[2] !== 'confirmed') assert.deepEqual(registersOf(gateway.inverter), ownSettings, what)
  }
  // What is not offered is not even heard.
  await access(gateway, true)
  await configureMqtt(gateway, { offers_controls: false })
  const from = listener.messages.length
  for (const name of [metric, action, battery]) await listener.publish(`hearth/main/${name}/set`, '0')
  await listener.publish('homeassistant/status', 'online')
  await eventually(
    () => listener.messages.slice(from).some(({ topic }) => topic === 'hearth/main/battery_soc/state'),
    (isThere) => isThere,
    { what: 'the values again' },
  )
  const answers = listener.messages.slice(from).filter(({ topic, text }) => topic.endsWith('/result') && text !== '')
  assert.deepEqual(answers, [])
})

/** Payloads that nobody should be able to do anything with. */
const hostile: readonly (string | Buffer)[] = [
  '',
  ' ',
  '\0',
  '50\0',
  '50\n',
  '\n50',
  ' 50',
  '5e',
  '0x32',
  '0b11',
  '1_000',
  '1,5',
  '٥٠',
  '５０',
  'Infinity',
  '-Infinity',
  'NaN',
  '1e999',
  '-1e308',
  'null',
  'undefined',
  '[]',
  '{}',
  '[50]',
  '{"value":50}',
  '__proto__',
  'constructor',
  'toString',
  '%s%n',
  '${50}',
  '{{ states("x") }}',
  "'; DROP TABLE settings; --",
  '../../etc/passwd',
  '<script>50</script>',
  '\u202e05',
  '\ufeff50',
  'x'.repeat(257),
  'x'.repeat(100_000),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
]

/** Topics beside those of commands. */
const strangeTopics = [
  'hearth//battery_soc_target/set',
  'hearth/__proto__/battery_soc_target/set',
  'hearth/MAIN/battery_soc_target/set',
  'hearth/@plant/energy_action/set',
  'hearth/main/__proto__/set',
  'hearth/main/constructor/set',
  'hearth/main/../set',
  'hearth/main/wifi_password/set',
  'hearth/main/BATTERY_SOC_TARGET/set',
  'hearth/main/battery_soc_target /set',
  `hearth/main/${'x'.repeat(60_000)}/set`,
]

test(
  'no payload and no topic of the hostile list writes, stops the service, or is an error of it',
  { skip },
  async () => {
    await using broker = await startBroker()
    await using listener = await broker.listen()
    await using gateway = await startGateway({ speed: 60 })
    giveOwnSettings(gateway.inverter)
    await gateway.isReady()
    await gateway.allowDispatch()
    await gateway.allowWriting(metric, action)
    await mode(gateway, 'external')
    await configureMqtt(gateway, publishing(broker, { offers_controls: true }))
    await published(listener)
    const before = [gateway.inverter.registers.get(metric), registersOf(gateway.inverter)]
    const names = [metric, action, battery, 'energy_target_soc', 'energy_max_power', ...registers]
    let sent = 0
    for (const name of names)
      for (const payload of hostile) {
        // A minute has sixty commands.
        if (sent % 50 === 49) await gateway.timers.delay(61_000)
        sent += 1
        const { outcome, detail } = await command(listener, name, payload)
        const what = `${name} ${String(payload).slice(0, 30)}: ${outcome}, ${detail}`
        assert.match(outcome, /^(?:value_|invalid_request)/, what)
        assert.ok(detail.length < 300, what)
      }
    const from = listener.messages.length
    for (const topic of strangeTopics) await listener.publish(topic, '50')
    await gateway.timers.delay(61_000)
    assert.equal((await command(listener, metric, '101')).outcome, 'value_out_of_range')
    const answered = listener.messages.slice(from).filter(({ topic, text }) => topic.endsWith('/result') && text !== '')
    assert.equal(answered.length, 1, JSON.stringify(answered))
    assert.deepEqual([gateway.inverter.registers.get(metric), registersOf(gateway.inverter)], before)
    assert.equal((await viewMqtt(gateway)).status['commands_carried_out'], 0)
  },
)
