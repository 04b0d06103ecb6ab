import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { OperatorError, parseSettings } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { z } from 'zod'
import { openIdConfig, openIdSettings, readClientSecret } from './settings.ts'

const right = {
  PUBLIC_URL: 'https://vpn.example.org/',
  OIDC_ISSUER: 'https://id.example.org/realms/home',
  OIDC_CLIENT_ID: 'hearth',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_ALLOWED_GROUPS: 'family, friends',
}
const schema = z.object({ ...openIdSettings, PUBLIC_URL: z.string().optional() })
const read = (changes: Record<string, string> = {}) =>
  openIdConfig(parseSettings(schema, { ...right, ...changes })).openId

test('without a provider nothing is configured; with one the defaults are the usual ones', () => {
  assert.equal(openIdConfig(parseSettings(schema, {})).openId, undefined)
  const config = read()
  assert.equal(config?.publicUrl, 'https://vpn.example.org')
  assert.deepEqual(config?.allowedGroups, ['family', 'friends'])
  assert.deepEqual([config?.name, config?.groupsClaim, config?.adminGroups], ['OpenID Connect', 'groups', []])
  assert.equal(read({ OIDC_ALLOWED_GROUPS: '*' })?.allowedGroups, 'everyone')
  assert.deepEqual(read({ OIDC_ALLOWED_GROUPS: '', OIDC_ADMIN_GROUPS: 'admins' })?.allowedGroups, [])
})

test('what is missing, or has no effect, is refused with the name of the setting', () => {
  const wrong: [string, Record<string, string>][] = [
    ['PUBLIC_URL', { PUBLIC_URL: '' }],
    ['OIDC_CLIENT_ID', { OIDC_CLIENT_ID: '' }],
    ['OIDC_CLIENT_SECRET', { OIDC_CLIENT_SECRET: '' }],
    ['OIDC_CLIENT_SECRET_FILE', { OIDC_CLIENT_SECRET_FILE: '/secret' }],
    ['OIDC_ALLOWED_GROUPS', { OIDC_ALLOWED_GROUPS: '' }],
    ['OIDC_ALLOWED_GROUPS', { OIDC_ALLOWED_GROUPS: ' , ' }],
    ['OIDC_ALLOWED_GROUPS', { OIDC_ALLOWED_GROUPS: '*,family' }],
    ['OIDC_ADMIN_GROUPS', { OIDC_ADMIN_GROUPS: '*' }],
    ['OIDC_ISSUER', { OIDC_ISSUER: 'http://id.example.org' }],
    ['OIDC_ISSUER', { OIDC_ISSUER: 'https://id.example.org/?realm=home' }],
    ['OIDC_SCOPES', { OIDC_SCOPES: 'profile email' }],
    ['OIDC_CLIENT_ID', { OIDC_ISSUER: '' }],
  ]
  for (const [name, changes] of wrong)
    assert.throws(
      () => read(changes),
      (error) => error instanceof OperatorError && error.message.startsWith(`${name}: `),
      `${name} ${JSON.stringify(changes)}`,
    )
  for (const issuer of ['http://localhost:8080', 'http://127.0.0.1:9', 'http://[::1]:9'])
    assert.equal(read({ OIDC_ISSUER: issuer })?.issuer, issuer)
})

test('the secret comes from its file, without the end of the line', async () => {
  await using folder = await temporaryDirectory()
  const file = join(folder.path, 'secret')
  const config = read({ OIDC_CLIENT_SECRET: '', OIDC_CLIENT_SECRET_FILE: file })
  assert.ok(config)
  assert.throws(() => readClientSecret(config), /^OperatorError: OIDC_CLIENT_SECRET_FILE: /)
  await writeFile(file, '\n')
  assert.throws(() => readClientSecret(config), /is empty/)
  await writeFile(file, 'from-a-file\n')
  assert.equal(readClientSecret(config), 'from-a-file')
})
