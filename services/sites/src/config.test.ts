import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '@hearth/runtime'
import { readConfig } from './config.ts'

test('without settings the service listens on loopback and runs its own Caddy', () => {
  const config = readConfig({})
  assert.deepEqual([config.bindAddress, config.bindPort, config.caddy.admin], ['127.0.0.1', 8104, undefined])
  assert.deepEqual([config.caddy.httpPort, config.caddy.httpsPort, config.origins], [8180, 8543, []])
  assert.match(config.dataDirectory, /\/data\/sites$/)
  assert.match(config.secretKeyFile, /\/data\/sites\/secret\.key$/)
})

test('an external Caddy is configured by its address or socket', () => {
  for (const admin of ['http://127.0.0.1:2019', 'http://caddy:2019/', 'unix//run/caddy/admin.socket'])
    assert.equal(readConfig({ CADDY_ADMIN: admin }).caddy.admin, admin)
})

test('the pages are accepted from every published origin', () => {
  const { origins } = readConfig({
    PUBLIC_URL: 'https://sites.example.org/',
    PUBLIC_ORIGIN: 'https://lan.sites.example.org:8443, http://192.168.1.5:8104/',
  })
  assert.deepEqual(origins, [
    'https://sites.example.org',
    'https://lan.sites.example.org:8443',
    'http://192.168.1.5:8104',
  ])
})

test('a wrong setting is named in the error', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ CADDY_ADMIN: 'localhost:2019' }, /^CADDY_ADMIN: /],
    [{ CADDY_ADMIN: 'https://localhost:2019' }, /^CADDY_ADMIN: /],
    [{ CADDY_ADMIN: 'http://user:word@localhost:2019' }, /^CADDY_ADMIN: /],
    [{ CADDY_ADMIN: 'http://localhost:2019/config' }, /^CADDY_ADMIN: /],
    [{ CADDY_ADMIN: 'unix/' }, /^CADDY_ADMIN: /],
    [{ CADDY_HTTP_PORT: '70000' }, /^CADDY_HTTP_PORT: /],
    [{ CADDY_PATH: 'caddy' }, /^CADDY_PATH: /],
    [{ LOG_DIRS: 'logs' }, /^LOG_DIRS: /],
    [{ SSLLABS_BASE_URL: 'ssllabs' }, /^SSLLABS_BASE_URL: /],
    [{ OUTBOUND_ALLOW: 'a b' }, /^OUTBOUND_ALLOW: /],
    [{ PUBLIC_URL: 'http://sites.example.org' }, /^PUBLIC_URL: must be https/],
    [{ PUBLIC_ORIGIN: 'sites.example.org' }, /^PUBLIC_ORIGIN: /],
    [{ RP_ID: 'example.org' }, /^PUBLIC_URL: is needed/],
    [{ RP_ID: 'a b' }, /^RP_ID: /],
    [{ TRUSTED_PROXIES: '*' }, /^TRUSTED_PROXIES: /],
  ]
  for (const [environment, message] of wrong)
    assert.throws(
      () => readConfig(environment),
      (error) => error instanceof OperatorError && message.test(error.message),
      JSON.stringify(environment),
    )
})
