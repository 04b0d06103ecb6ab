import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commaList, OperatorError, parseSettings } from '@hearth/runtime'
import { z } from 'zod'
import { databaseConfig, databaseSettings, serviceConfig, serviceSettings } from './service-settings.ts'

test('an invalid setting is reported by name without its value, and an empty one counts as not set', () => {
  const schema = z.object({ ...serviceSettings({ name: 'test', port: 8100 }), ...databaseSettings })
  assert.equal(parseSettings(schema, { BIND_ADDRESS: '' }).BIND_ADDRESS, '127.0.0.1')
  assert.deepEqual(commaList.parse(' 10.0.0.1, ,::1 '), ['10.0.0.1', '::1'])
  for (const [name, value] of [
    ['BIND_ADDRESS', 'localhost'],
    ['TRUSTED_PROXIES', 'proxy.example.org'],
    ['LOG_LEVEL', 'loud'],
    ['PUBLIC_URL', 'ftp://x'],
    ['DATABASE_URL', 'mysql://u:secret@h/x'],
    ['DATABASE_URL', 'postgres://u:secret@h:x/x'],
    ['PUBLIC_URL', 'https://u:secret@example.org'],
  ] as const) {
    assert.throws(
      () => parseSettings(schema, { [name]: value }),
      (error) =>
        error instanceof OperatorError && error.message.startsWith(`${name}: `) && !error.message.includes(value),
    )
  }
})

test('the key file is in the data directory unless a setting names another file', () => {
  const schema = z.object({ ...serviceSettings({ name: 'test', port: 8100 }), ...databaseSettings })
  const read = (environment: Record<string, string>) => {
    const settings = parseSettings(schema, environment)
    return { ...serviceConfig(settings), ...databaseConfig(settings) }
  }
  const { dataDirectory, secretKeyFile, bindPort } = read({})
  assert.equal(bindPort, 8100)
  assert.ok(dataDirectory.endsWith('/data/test'))
  assert.equal(secretKeyFile, `${dataDirectory}/secret.key`)
  assert.equal(read({ SECRET_KEY_FILE: '/etc/key' }).secretKeyFile, '/etc/key')
  assert.equal(read({ FORWARDED_HEADER: 'X-Real-IP' }).forwardedHeader, 'x-real-ip')
})
