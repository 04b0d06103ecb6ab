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
}

test('every setting has an effect, and the default that the README documents', () => {
  const faults = defaultFaults({
    readme: join(import.meta.dirname, '../README.md'),
    variables: Object.keys(settingsSchema.shape),
    read: readConfig,
    samples,
    inWords: {
      // Found when they are needed: in PATH, by the machine, at GitHub, in the data directory.
      YTDLP_PATH: 'none',
      FFMPEG_PATH: 'none',
      WORKERS: 'none',
      UPDATES_BASE_URL: 'none',
      UPDATES_REPOSITORY: 'none',
      SECRET_KEY: 'none',
      ARTIFACTS: {},
    },
  })
  assert.deepEqual(faults, [])
})
