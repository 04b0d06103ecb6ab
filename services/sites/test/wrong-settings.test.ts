import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { test } from 'node:test'
import { refusalFaults, wrongTextFaults, type WrongPlaces } from '@hearth/testing'
import { readConfig, settingsSchema } from '../src/config.ts'

/** Nobody is there, and none is started. */
const noCaddy = { CADDY_ADMIN: 'http://127.0.0.1:9' }

test('three wrong values of every setting are refused with its name', () => {
  const long = 'x'.repeat(101)
  const faults = wrongTextFaults({
    schema: settingsSchema,
    read: readConfig,
    ownForms: {
      DATABASE_URL: ['mysql://localhost/x', 'localhost', 'postgres://host:port/x'],
      CADDY_ADMIN: ['localhost:2019', 'https://localhost:2019', 'unix/'],
      BUILD_COMMIT: [long, `${long}y`, `${long}z`],
      BUILD_DATE: [long, `${long}y`, `${long}z`],
    },
    nothingWrong: {},
  })
  assert.deepEqual(faults, [])
})

/** Wrong values that are only seen at the start. */
const atStart = ({ directory, file, belowFile, nowhere }: WrongPlaces) =>
  [
    ['DATA_DIR', { DATA_DIR: file }],
    ['DATA_DIR', { DATA_DIR: belowFile }],
    ['SECRET_KEY_FILE', { SECRET_KEY_FILE: directory }],
    ['SECRET_KEY_FILE', { SECRET_KEY_FILE: file }],
    ['SECRET_KEY_FILE', { SECRET_KEY_FILE: nowhere }],
    ['CADDY_PATH', { CADDY_PATH: nowhere }],
    ['CADDY_PATH', { CADDY_PATH: file }],
    ['CADDY_PATH', { CADDY_PATH: directory }],
  ] as const

test('a start with a wrong path or key is refused in one line and writes nothing', async () => {
  const faults = await refusalFaults(['sites', 'serve'], (places) => [
    ...atStart(places).map(([name, wrong]) => [name, { ...noCaddy, ...wrong }] as const),
    ['DATA_DIR', { ...noCaddy, DATA_DIR: '/proc/hearth' }],
    ['DATABASE_URL', { ...noCaddy, DATABASE_URL: 'postgres://hearth@127.0.0.1:1/x' }],
    ['BIND_ADDRESS', { ...noCaddy, BIND_ADDRESS: '192.0.2.1' }],
  ])
  assert.deepEqual(faults, [])
})

test('a port of Caddy that is taken refuses the start and leaves a fresh data directory as it was', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = String((server.address() as AddressInfo).port)
  const faults = await refusalFaults(['sites', 'serve'], () => [
    ['CADDY_HTTP_PORT', { CADDY_HTTP_PORT: port, CADDY_HTTPS_PORT: '0' }],
    ['CADDY_HTTPS_PORT', { CADDY_HTTP_PORT: '0', CADDY_HTTPS_PORT: port }],
    ['BIND_PORT', { ...noCaddy, BIND_PORT: port }],
  ])
  server.close()
  assert.deepEqual(faults, [])
})

const commands: readonly string[][] = [
  ['reset-admin-password'],
  ['import', 'caddyfile', '/etc/hostname'],
  ['import', 'npm', '/etc/hostname'],
  ['backup', '/dev/null'],
]

test('every command refuses wrong settings in one line and writes nothing', async () => {
  const faults = await Promise.all(
    commands.map((words) =>
      refusalFaults(['sites', ...words], (places) => atStart(places).filter((_, index) => [0, 2, 5].includes(index))),
    ),
  )
  assert.deepEqual(faults.flat(), [])
})
