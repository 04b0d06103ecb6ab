import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../problems.ts'
import { OpenIdClientValues } from '../schema.ts'
import { checkClientInput } from './client-rules.ts'
import { presets } from './presets.ts'

const check = (values: object) => {
  const input = OpenIdClientValues.parse({ name: 'App', redirect_uris: ['https://app.test/cb'], ...values })
  checkClientInput(input, ['family'])
}
const refused = (field: string) => (error: unknown) =>
  error instanceof Problem && error.status === 422 && error.body.errors?.[0]?.field === field

test('addresses to return to are exact, at https, or at loopback', () => {
  for (const uri of ['https://app.test/cb?x=1', 'https://pve.test:8006', 'http://localhost:8080/cb', 'http://[::1]/cb'])
    check({ redirect_uris: [uri], post_logout_redirect_uris: [uri] })
  for (const uri of [
    'http://app.test/cb',
    'http://localhost.evil.test/cb',
    'https://user@app.test/',
    'https://app.test/#x',
    'https://*.app.test/',
    'https://app.test/a b',
    'https://app.test\\@evil.test/',
    'https://äpp.test/',
    'javascript:alert(1)',
    'data:text/html,x',
    'app.test/cb',
    'app.immich:///oauth-callback',
    'https:app.test/cb',
    '',
  ]) {
    assert.throws(() => check({ redirect_uris: [uri] }), refused('redirect_uris.0'), uri)
    assert.throws(() => check({ post_logout_redirect_uris: [uri] }), refused('post_logout_redirect_uris.0'), uri)
  }
})

test('a client without a secret needs PKCE, and groups exist', () => {
  check({ is_public: true, groups: ['family'], backchannel_logout_uri: 'http://app:3000/logout' })
  assert.throws(() => check({ is_public: true, pkce_required: false }), refused('pkce_required'))
  assert.throws(() => check({ groups: ['nobody'] }), refused('groups'))
  assert.throws(() => check({ backchannel_logout_uri: 'ftp://app/' }), refused('backchannel_logout_uri'))
})

test('the settings of every kind of application are taken', () => {
  for (const { id, redirect_paths, post_logout_paths, backchannel_path, lines, pkce_required } of presets) {
    const below = (paths: readonly string[]) => paths.map((path) => `https://app.test${path}`)
    check({
      preset: id,
      redirect_uris: below(redirect_paths),
      post_logout_redirect_uris: below(post_logout_paths),
      backchannel_logout_uri: backchannel_path === null ? null : `https://app.test${backchannel_path}`,
      pkce_required,
    })
    for (const name of ['issuer', 'client_id', 'client_secret'])
      assert.ok(lines.includes(`{${name}}`), `${id}: ${name}`)
  }
})
