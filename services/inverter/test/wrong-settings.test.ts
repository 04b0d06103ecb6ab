import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalFaults, wrongTextFaults, type WrongPlaces } from '@hearth/testing'
import { readConfig, settingsSchema } from '../src/config.ts'

test('three wrong values of every setting are refused with its name', () => {
  const faults = wrongTextFaults({ schema: settingsSchema, read: readConfig, ownForms: {}, nothingWrong: {} })
  assert.deepEqual(faults, [])
})

/** Wrong values that are only seen at the start. */
const atStart = ({ directory, file, belowFile, nowhere }: WrongPlaces) =>
  [
    ['DATA_DIR', { DATA_DIR: file }],
    ['DATA_DIR', { DATA_DIR: belowFile }],
    ['OBJECT_REGISTRY_FILE', { OBJECT_REGISTRY_FILE: nowhere }],
    ['OBJECT_REGISTRY_FILE', { OBJECT_REGISTRY_FILE: file }],
    ['OBJECT_REGISTRY_FILE', { OBJECT_REGISTRY_FILE: directory }],
    ['WRITE_ALLOWLIST_FILE', { WRITE_ALLOWLIST_FILE: nowhere }],
    ['WRITE_ALLOWLIST_FILE', { WRITE_ALLOWLIST_FILE: file }],
    ['WRITE_ALLOWLIST_FILE', { WRITE_ALLOWLIST_FILE: directory }],
  ] as const

test('a start with a wrong path is refused in one line and writes nothing', async () => {
  const faults = await refusalFaults(['inverter', 'serve'], (places) => [
    ...atStart(places),
    ['BIND_ADDRESS', { BIND_ADDRESS: '192.0.2.1' }],
  ])
  assert.deepEqual(faults, [])
})

test('the simulator refuses a wrong log level', async () => {
  const wrong = await refusalFaults(['inverter', 'simulate', '--port', '0'], () => [
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['LOG_LEVEL', { LOG_LEVEL: '5' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'INFO' }],
  ])
  assert.deepEqual(wrong, [])
})

const commands: readonly string[][] = [
  ['validate'],
  ['device', 'list'],
  ['token', 'create', '--role', 'read', '--name', 'x'],
  ['reset-admin-password'],
  ['backup', '/dev/null'],
]

test('every command refuses wrong settings in one line and writes nothing', async () => {
  const faults = await Promise.all(
    commands.map((words) => refusalFaults(['inverter', ...words], ({ file }) => [['DATA_DIR', { DATA_DIR: file }]])),
  )
  assert.deepEqual(faults.flat(), [])
})

test('what needs the catalog refuses a wrong one in one line and writes nothing', async () => {
  for (const words of [['validate'], ['allowlist'], ['device', 'list']]) {
    const faults = await refusalFaults(['inverter', ...words], (places) => atStart(places).slice(3, 6))
    assert.deepEqual(faults, [])
  }
})
