import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openIdSettingCases, refusalProblems, testSettings, wrongAtStart, type ServiceSettings } from '@hearth/testing'
import { readConfig, settingsSchema } from '../src/config.ts'

const settings: ServiceSettings = {
  service: 'media',
  schema: settingsSchema,
  read: readConfig,
  readme: join(import.meta.dirname, '../README.md'),
  samples: {
    ...openIdSettingCases.samples,
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
    METRICS_TOKEN: 'a-token-of-a-scraper',
    RELEASES_URL: 'https://releases.example.org',
    SECURITY_LOG_DAYS: '30',
    SECURITY_LOG_ROWS: '1000',
    API_TOKENS: 'on',
    RP_ID: { RP_ID: 'example.org', PUBLIC_URL: 'https://hearth.example.org' },
    BACKUP_DIR: '/backups',
    BACKUP_EVERY: '6h',
    BACKUP_KEEP: '14d,12m',
    HEARTH_SERVICES: 'vpn=https://vpn.example.org,media=http://localhost:8103 http://media:8103',
    BACKUP_S3: 's3://backups/media?endpoint=https://s3.example.org',
    OUTBOUND_ALLOW: '10.0.0.0/8',
    FORWARDED_ALLOW_IPS: '10.0.0.1',
    ALLOW_OPEN: 'true',
    EXTRA_PLATFORM_HOSTS: 'youtube=media.home',
    STEMSVC_BASE_URL: 'https://stems.example.org',
    UPDATES_BASE_URL: 'https://updates.example.org',
    UPDATES_REPOSITORY: 'somebody/hearth',
    YTDLP_PATH: '/elsewhere/yt-dlp',
    FFMPEG_PATH: '/elsewhere/ffmpeg',
    ARTIFACTS: '/elsewhere/artifacts',
    QUEUE_SIZE: '10',
    WORKERS: '3',
    LEASE_SECONDS: '30',
  },
  inWords: {
    ...openIdSettingCases.inWords,
    // Passkeys belong to localhost without an https address.
    PUBLIC_URL: {},
    RP_ID: { RP_ID: 'localhost' },
    // Found when they are needed: in PATH, by the machine, at GitHub, in the data directory.
    YTDLP_PATH: 'none',
    FFMPEG_PATH: 'none',
    WORKERS: 'none',
    UPDATES_BASE_URL: 'none',
    UPDATES_REPOSITORY: 'none',
    SECRET_KEY: 'none',
    ARTIFACTS: {},
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
    EXTRA_PLATFORM_HOSTS: ['vimeo=media.home', 'media.home', 'youtube=a b'],
    UPDATES_REPOSITORY: ['hearth', 'hearth/hearth/releases', 'a b/c'],
    ARTIFACTS: ['ftp://bucket', 's3://B', 's3://bucket?region=A'],
    BACKUP_S3: ['/backups', 's3://B', 's3://bucket?region=A'],
  },
  nothingWrong: openIdSettingCases.nothingWrong,
  files: ['SECRET_KEY_FILE'],
  programs: ['YTDLP_PATH', 'FFMPEG_PATH'],
  alsoWrong: (places) => [
    ...openIdSettingCases.alsoWrong(places),
    ['DATA_DIR', { DATA_DIR: '/proc/hearth' }],
    ['ARTIFACTS', { ARTIFACTS: places.file }],
    ['ARTIFACTS', { ARTIFACTS: places.belowFile }],
    ['ARTIFACTS', { ARTIFACTS: '/proc/hearth' }],
    ['AWS_ACCESS_KEY_ID', { ARTIFACTS: 's3://bucket' }],
    ['BIND_ADDRESS', { BIND_ADDRESS: '0.0.0.0' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.1', FORWARDED_ALLOW_IPS: '10.0.0.2' }],
  ],
  commands: [
    ['reset-admin-password'],
    ['tools', 'status'],
    ['tools', 'update'],
    ['tools', 'revert'],
    ['backup', '/nowhere/backup.gz'],
  ],
  readByCommands: ['DATA_DIR', 'SECRET_KEY_FILE', 'ARTIFACTS', 'YTDLP_PATH'],
}

testSettings(settings)

test('a worker refuses wrong settings in one line and writes nothing', async () => {
  const DATABASE_URL = 'postgres://hearth@127.0.0.1:1/x'
  const readByServeAlone = new Set(['BIND_ADDRESS', 'TRUSTED_PROXIES'])
  const faults = await refusalProblems(['media', 'worker'], (places) => [
    ...wrongAtStart(settings, places)
      .filter(([name]) => !readByServeAlone.has(name))
      .map(([name, wrong]) => [name, { DATABASE_URL, ...wrong }] as const),
    ['DATABASE_URL', {}],
  ])
  assert.deepEqual(faults, [])
})
