import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { refusalFaults, wrongTextFaults, type WrongPlaces } from '@hearth/testing'
import { readConfig, settingsSchema } from '../src/config.ts'

const simulated = { WIREGUARD_BACKEND: 'simulated' }

test('three wrong values of every setting are refused with its name', () => {
  const faults = wrongTextFaults({
    schema: settingsSchema,
    read: readConfig,
    ownForms: {
      DATABASE_URL: ['mysql://localhost/x', 'localhost', 'postgres://host:port/x'],
      DNS_LISTEN: ['127.0.0.1', 'localhost:53', '::1:53'],
      DNS_UPSTREAMS: ['nowhere', 'ftp://9.9.9.9', ','],
    },
    nothingWrong: { DNS_LISTEN_CLIENT: 'a peer may get any name later' },
  })
  assert.deepEqual(faults, [])
})

/** Wrong values that are only seen at the start. */
const atStart = ({ directory, file, belowFile, nowhere }: WrongPlaces) =>
  [
    ['DATA_DIR', { DATA_DIR: file }],
    ['DATA_DIR', { DATA_DIR: belowFile }],
    ['DATA_DIR', { DATA_DIR: '/proc/hearth' }],
    ['SECRET_KEY_FILE', { SECRET_KEY_FILE: directory }],
    ['SECRET_KEY_FILE', { SECRET_KEY_FILE: file }],
    ['SECRET_KEY_FILE', { SECRET_KEY_FILE: nowhere }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://hearth@127.0.0.1:1/x' }],
    ['GEOIP_COUNTRY_DB', { GEOIP_COUNTRY_DB: directory }],
    ['GEOIP_ASN_DB', { GEOIP_ASN_DB: directory }],
  ] as const

test('a start with a wrong path or key is refused in one line and writes nothing', async () => {
  const faults = await refusalFaults(['vpn', 'serve'], (places) => [
    ...atStart(places).map(([name, wrong]) => [name, { ...simulated, ...wrong }] as const),
    ['BIND_ADDRESS', { ...simulated, BIND_ADDRESS: '192.0.2.1' }],
  ])
  assert.deepEqual(faults, [])
})

test('a start on a port that is taken leaves a fresh data directory as it was', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const BIND_PORT = String((server.address() as AddressInfo).port)
  const faults = await refusalFaults(['vpn', 'serve'], () => [['BIND_PORT', { ...simulated, BIND_PORT }]])
  server.close()
  assert.deepEqual(faults, [])
})

const commands: readonly string[][] = [
  ['token', 'create', '--user', 'admin', '--name', 'x', '--permissions', 'full'],
  ['reset-admin-password'],
  ['down'],
  ['simulate-traffic'],
  ['rotate-key'],
  ['backup', '/dev/null'],
]

test('every command refuses wrong settings in one line and writes nothing', async () => {
  const faults = await Promise.all(
    commands.map((words) =>
      refusalFaults(['vpn', ...words], (places) =>
        atStart(places)
          .filter((_, index) => [0, 3, 7].includes(index))
          .map(([name, wrong]) => [name, { ...simulated, ...wrong }] as const),
      ),
    ),
  )
  assert.deepEqual(faults.flat(), [])
})
