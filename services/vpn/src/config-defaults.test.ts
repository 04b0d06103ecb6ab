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
  PUBLIC_URL: 'https://hearth.example.org',
  TRUSTED_PROXIES: '10.0.0.1',
  FORWARDED_HEADER: 'X-Real-IP',
  LOG_LEVEL: 'debug',
  SECRET_KEY: '0123456789abcdef'.repeat(4),
  SECRET_KEY_FILE: '/elsewhere/key',
  OUTBOUND_ALLOW: '10.0.0.0/8',
  WIREGUARD_BACKEND: 'simulated',
  PUBLIC_ENDPOINT: 'vpn.example.org',
  RATE_LIMIT_EXEMPT: '10.0.0.1',
  DNS_LISTEN: '127.0.0.1:5353',
  DNS_LISTEN_CLIENT: 'laptop',
  DNS_UPSTREAMS: 'udp://192.168.1.1',
  DNS_ENGINE: 'dgram',
  GEOIP_COUNTRY_DB: '/elsewhere/country.mmdb',
  GEOIP_ASN_DB: '/elsewhere/asn.mmdb',
  DRIFT_CHECK_SECONDS: '60',
}

test('every setting has an effect, and the default that the README documents', () => {
  const faults = defaultFaults({
    readme: join(import.meta.dirname, '../README.md'),
    variables: Object.keys(settingsSchema.shape),
    read: readConfig,
    samples,
    inWords: { PUBLIC_ENDPOINT: 'none' },
  })
  assert.deepEqual(faults, [])
})
