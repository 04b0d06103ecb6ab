import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalFaults, wrongTextFaults, type WrongPlaces } from '@hearth/testing'
import { readConfig, settingsSchema } from '../src/config.ts'

test('three wrong values of every setting are refused with its name', () => {
  const faults = wrongTextFaults({
    schema: settingsSchema,
    read: readConfig,
    ownForms: {
      DATABASE_URL: ['mysql://localhost/x', 'localhost', 'postgres://host:port/x'],
      EXTRA_PLATFORM_HOSTS: ['vimeo=media.home', 'media.home', 'youtube=a b'],
      UPDATES_REPOSITORY: ['hearth', 'hearth/hearth/releases', 'a b/c'],
      ARTIFACTS: ['ftp://bucket', 's3://B', 's3://bucket?region=A'],
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
    ['ARTIFACTS', { ARTIFACTS: file }],
    ['ARTIFACTS', { ARTIFACTS: belowFile }],
    ['ARTIFACTS', { ARTIFACTS: '/proc/hearth' }],
    ['AWS_ACCESS_KEY_ID', { ARTIFACTS: 's3://bucket' }],
    ['YTDLP_PATH', { YTDLP_PATH: nowhere }],
    ['YTDLP_PATH', { YTDLP_PATH: file }],
    ['YTDLP_PATH', { YTDLP_PATH: directory }],
    ['FFMPEG_PATH', { FFMPEG_PATH: nowhere }],
    ['FFMPEG_PATH', { FFMPEG_PATH: file }],
    ['FFMPEG_PATH', { FFMPEG_PATH: directory }],
  ] as const

test('a start with a wrong path or key is refused in one line and writes nothing', async () => {
  const faults = await refusalFaults(['media', 'serve'], (places) => [
    ...atStart(places),
    ['DATA_DIR', { DATA_DIR: '/proc/hearth' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://hearth@127.0.0.1:1/x' }],
    ['BIND_ADDRESS', { BIND_ADDRESS: '192.0.2.1' }],
    ['BIND_ADDRESS', { BIND_ADDRESS: '0.0.0.0' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.1', FORWARDED_ALLOW_IPS: '10.0.0.2' }],
  ])
  assert.deepEqual(faults, [])
})

const commands: readonly string[][] = [
  ['reset-admin-password'],
  ['tools', 'status'],
  ['tools', 'update'],
  ['tools', 'revert'],
  ['backup', '/dev/null'],
]

test('every command refuses wrong settings in one line and writes nothing', async () => {
  const faults = await Promise.all(
    commands.map((words) =>
      refusalFaults(['media', ...words], (places) =>
        atStart(places).filter((_, index) => [0, 2, 5, 9].includes(index)),
      ),
    ),
  )
  assert.deepEqual(faults.flat(), [])
})

test('a worker refuses wrong settings in one line and writes nothing', async () => {
  const DATABASE_URL = 'postgres://hearth@127.0.0.1:1/x'
  const faults = await refusalFaults(['media', 'worker'], (places) => [
    ...atStart(places).map(([name, wrong]) => [name, { DATABASE_URL, ...wrong }] as const),
    ['DATABASE_URL', { DATABASE_URL }],
    ['DATABASE_URL', {}],
  ])
  assert.deepEqual(faults, [])
})
