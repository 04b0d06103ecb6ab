import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { defaultFaults } from '@hearth/testing'
import { readConfig, settingsSchema } from './config.ts'

const samples = {
  BIND_ADDRESS: '127.0.0.2',
  BIND_PORT: '9000',
  DATA_DIR: '/elsewhere',
  PUBLIC_URL: 'https://hearth.example.org',
  TRUSTED_PROXIES: '10.0.0.1',
  FORWARDED_HEADER: 'X-Real-IP',
  LOG_LEVEL: 'debug',
  HMAC_SECRET: 'x'.repeat(32),
  DOCS_PUBLIC: 'true',
  ENABLE_VENDOR_DIAGNOSTICS: 'true',
  RATE_LIMIT_PER_MINUTE: '100',
  RATE_LIMIT_EXEMPT: '10.0.0.1',
  OBJECT_REGISTRY_FILE: '/elsewhere/registry.json',
  WRITE_ALLOWLIST_FILE: '/elsewhere/allowlist.json',
  RELEASES_URL: 'https://releases.example.org',
}

test('every setting has an effect, and the default that the README documents', () => {
  const faults = defaultFaults({
    readme: join(import.meta.dirname, '../README.md'),
    variables: Object.keys(settingsSchema.shape),
    read: readConfig,
    samples,
    // Generated, or shipped: the start finds what there is.
    inWords: { HMAC_SECRET: 'none', OBJECT_REGISTRY_FILE: 'none', WRITE_ALLOWLIST_FILE: 'none' },
  })
  assert.deepEqual(faults, [])
})
