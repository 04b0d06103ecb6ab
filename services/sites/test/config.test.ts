import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { openIdSettingCases, refusalProblems, testSettings } from '@hearth/testing'
import { readConfig, settingsSchema } from '../src/config.ts'

const tooLong = ['x', 'y', 'z'].map((letter) => letter.repeat(101))

testSettings({
  service: 'sites',
  schema: settingsSchema,
  read: readConfig,
  readme: join(import.meta.dirname, '../README.md'),
  samples: {
    ...openIdSettingCases.samples,
    BIND_ADDRESS: '127.0.0.2',
    BIND_PORT: '9000',
    DATA_DIR: '/elsewhere',
    DATABASE_URL: 'postgres://hearth@127.0.0.1/hearth',
    PUBLIC_URL: 'http://127.0.0.1:8104',
    TRUSTED_PROXIES: '10.0.0.1',
    FORWARDED_HEADER: 'X-Real-IP',
    LOG_LEVEL: 'debug',
    SECRET_KEY: '0123456789abcdef'.repeat(4),
    SECRET_KEY_FILE: '/elsewhere/key',
    METRICS_TOKEN: 'a-token-of-a-scraper',
    RELEASES_URL: 'https://releases.example.org',
    SECURITY_LOG_DAYS: '30',
    SECURITY_LOG_ROWS: '1000',
    API_TOKENS: 'on',
    BACKUP_DIR: '/backups',
    BACKUP_EVERY: '6h',
    BACKUP_KEEP: '14d,12m',
    HEARTH_SERVICES: 'vpn=https://vpn.example.org,media=http://localhost:8103 http://media:8103',
    DNS_RESOLVERS: '192.0.2.53',
    OUTBOUND_ALLOW: '10.0.0.0/8',
    PUBLIC_ORIGIN: 'http://192.168.1.5:8104',
    RP_ID: { RP_ID: 'example.org', PUBLIC_URL: 'https://hearth.example.org' },
    CADDY_ADMIN: 'http://127.0.0.1:2019',
    CADDY_HTTP_PORT: '80',
    CADDY_HTTPS_PORT: '443',
    CADDY_BIND: '0.0.0.0',
    CADDY_LOG_FILE: '/var/log/caddy.log',
    CADDY_PATH: '/elsewhere/caddy',
    STATIC_DIRS: '/pages',
    SOCKET_DIRS: '/run',
    LOG_DIRS: '/logs',
    SSLLABS_BASE_URL: 'https://labs.example.org',
    BUILD_COMMIT: 'abc',
    BUILD_DATE: '2031-01-01',
  },
  inWords: {
    ...openIdSettingCases.inWords,
    // The one in PATH.
    CADDY_PATH: 'none',
    RP_ID: { RP_ID: 'localhost' },
    // The ports and addresses follow it; the test below has them.
    CADDY_ADMIN: {},
    CADDY_HTTP_PORT: { CADDY_HTTP_PORT: '8180' },
    CADDY_HTTPS_PORT: { CADDY_HTTPS_PORT: '8543' },
  },
  ownForms: {
    ...openIdSettingCases.ownForms,
    BACKUP_EVERY: ['9m', '24', '1 day'],
    HEARTH_SERVICES: [
      'vpn',
      'router=http://192.168.1.1',
      'vpn=ftp://a.example',
      'vpn=http://a.example,vpn=http://b.example',
    ],
    BACKUP_KEEP: ['7', '7 daily', '4w,7d'],
    DATABASE_URL: ['mysql://localhost/x', 'localhost', 'postgres://host:port/x'],
    CADDY_ADMIN: ['localhost:2019', 'https://localhost:2019', 'unix/'],
    BUILD_COMMIT: tooLong,
    BUILD_DATE: tooLong,
  },
  nothingWrong: openIdSettingCases.nothingWrong,
  // Nobody is there, and no Caddy is started.
  environment: { CADDY_ADMIN: 'http://127.0.0.1:9' },
  files: ['SECRET_KEY_FILE'],
  programs: ['CADDY_PATH'],
  alsoWrong: (places) => [...openIdSettingCases.alsoWrong(places), ['DATA_DIR', { DATA_DIR: '/proc/hearth' }]],
  commands: [
    ['reset-admin-password'],
    ['import', 'caddyfile', '/etc/hostname'],
    ['import', 'npm', '/etc/hostname'],
    ['backup', '/nowhere/backup.gz'],
  ],
  readByCommands: ['DATA_DIR', 'SECRET_KEY_FILE', 'CADDY_PATH'],
})

test('with an external Caddy the documented defaults are those of a web server', () => {
  const admin = { CADDY_ADMIN: 'http://127.0.0.1:2019' }
  assert.deepEqual(
    readConfig(admin).caddy,
    readConfig({ ...admin, CADDY_HTTP_PORT: '80', CADDY_HTTPS_PORT: '443' }).caddy,
  )
  assert.deepEqual(readConfig(admin).caddy.bind, [])
})

test('a Caddy port in use prevents the start and leaves a fresh data directory untouched', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = String((server.address() as AddressInfo).port)
  const faults = await refusalProblems(['sites', 'serve'], () => [
    ['CADDY_HTTP_PORT', { CADDY_HTTP_PORT: port, CADDY_HTTPS_PORT: '0' }],
    ['CADDY_HTTPS_PORT', { CADDY_HTTP_PORT: '0', CADDY_HTTPS_PORT: port }],
  ])
  server.close()
  assert.deepEqual(faults, [])
})
