import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openIdSettingCases, refusalProblems, testSettings, wrongAtStart, type ServiceSettings } from '@hearth/testing'
import { readConfig, settingsSchema } from '../src/config.ts'

const catalogFiles = ['OBJECT_REGISTRY_FILE', 'WRITE_ALLOWLIST_FILE']

const settings: ServiceSettings = {
  service: 'inverter',
  schema: settingsSchema,
  read: readConfig,
  readme: join(import.meta.dirname, '../README.md'),
  samples: {
    ...openIdSettingCases.samples,
    BIND_ADDRESS: '127.0.0.2',
    BIND_PORT: '9000',
    DATA_DIR: '/elsewhere',
    PUBLIC_URL: 'https://hearth.example.org',
    TRUSTED_PROXIES: '10.0.0.1',
    FORWARDED_HEADER: 'X-Real-IP',
    LOG_LEVEL: 'debug',
    HMAC_SECRET: 'x'.repeat(32),
    SECURITY_LOG_DAYS: '30',
    SECURITY_LOG_ROWS: '1000',
    RP_ID: { RP_ID: 'example.org', PUBLIC_URL: 'https://hearth.example.org' },
    BACKUP_DIR: '/backups',
    BACKUP_EVERY: '6h',
    BACKUP_KEEP: '14d,12m',
    HEARTH_SERVICES: 'vpn=https://vpn.example.org,media=http://localhost:8103 http://media:8103',
    DOCS_PUBLIC: 'true',
    ENABLE_VENDOR_DIAGNOSTICS: 'true',
    RATE_LIMIT_PER_MINUTE: '100',
    RATE_LIMIT_EXEMPT: '10.0.0.1',
    OBJECT_REGISTRY_FILE: '/elsewhere/registry.json',
    WRITE_ALLOWLIST_FILE: '/elsewhere/allowlist.json',
    RELEASES_URL: 'https://releases.example.org',
    OUTBOUND_ALLOW: '10.0.0.0/8',
    SEARCH_NETWORKS: '192.168.1.0/24',
  },
  // Generated, or shipped: the start finds what there is.
  inWords: {
    ...openIdSettingCases.inWords,
    HMAC_SECRET: 'none',
    OBJECT_REGISTRY_FILE: 'none',
    WRITE_ALLOWLIST_FILE: 'none',
    // Passkeys belong to localhost without an https address.
    PUBLIC_URL: {},
    RP_ID: { RP_ID: 'localhost' },
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
  },
  nothingWrong: openIdSettingCases.nothingWrong,
  files: catalogFiles,
  programs: [],
  alsoWrong: (places) => openIdSettingCases.alsoWrong(places),
  commands: [
    ['validate'],
    ['device', 'list'],
    ['token', 'create', '--role', 'read', '--name', 'x'],
    ['reset-admin-password'],
    ['backup', '/nowhere/backup.gz'],
  ],
  readByCommands: ['DATA_DIR'],
}

testSettings(settings)

test('the simulator refuses a wrong log level', async () => {
  const wrong = await refusalProblems(['inverter', 'simulate', '--port', '0'], () => [
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['LOG_LEVEL', { LOG_LEVEL: '5' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'INFO' }],
  ])
  assert.deepEqual(wrong, [])
})

test('commands that need the catalog refuse an invalid one in one line and write nothing', async () => {
  for (const args of [['validate'], ['allowlist'], ['device', 'list']]) {
    const faults = await refusalProblems(['inverter', ...args], (places) =>
      wrongAtStart(settings, places).filter(([name]) => catalogFiles.includes(name)),
    )
    assert.deepEqual(faults, [])
  }
})
