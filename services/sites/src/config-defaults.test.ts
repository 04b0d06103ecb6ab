import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { defaultFaults } from '@hearth/testing'
import { readConfig, settingsSchema } from './config.ts'

const samples = {
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
}

test('every setting has an effect, and the default that the README documents', () => {
  const faults = defaultFaults({
    readme: join(import.meta.dirname, '../README.md'),
    variables: Object.keys(settingsSchema.shape),
    read: readConfig,
    samples,
    inWords: {
      // The one in PATH.
      CADDY_PATH: 'none',
      RP_ID: { RP_ID: 'localhost' },
      // The ports and addresses follow it; the test below has them.
      CADDY_ADMIN: {},
      CADDY_HTTP_PORT: { CADDY_HTTP_PORT: '8180' },
      CADDY_HTTPS_PORT: { CADDY_HTTPS_PORT: '8543' },
    },
  })
  assert.deepEqual(faults, [])
})

test('with a Caddy that runs already the documented defaults are those of a web server', () => {
  const admin = { CADDY_ADMIN: 'http://127.0.0.1:2019' }
  assert.deepEqual(
    readConfig(admin).caddy,
    readConfig({ ...admin, CADDY_HTTP_PORT: '80', CADDY_HTTPS_PORT: '443' }).caddy,
  )
  assert.deepEqual(readConfig(admin).caddy.bind, [])
})
