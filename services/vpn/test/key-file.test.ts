import assert from 'node:assert/strict'
import { chmod, copyFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { startService } from './in-process.ts'

const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8)

test('a key file in the data directory readable by others is restricted, with a warning', async () => {
  await using folder = await temporaryDirectory()
  const environment = { DATA_DIR: join(folder.path, 'data'), WIREGUARD_BACKEND: 'simulated' }
  const first = await runCommand(['vpn', 'reset-admin-password'], environment)
  assert.deepEqual([first.code, /warning/.test(first.stderr)], [0, false], first.stderr)
  const key = join(environment.DATA_DIR, 'secret.key')
  await chmod(key, 0o644)
  const second = await runCommand(['vpn', 'reset-admin-password'], environment)
  assert.match(second.stderr, /^warning: .*secret\.key could be read by others \(mode 0644\); its mode is 0600 now$/m)
  assert.deepEqual([second.code, await modeOf(key)], [0, '600'])
  await chmod(key, 0o640)
  await using service = await startServiceProcess('vpn', environment)
  assert.match([...service.stdout, ...service.stderr].join('\n'), /secret\.key could be read by others \(mode 0640\)/)
  assert.equal(await modeOf(key), '600')
})

test('a key file elsewhere keeps its mode, with a warning', async () => {
  await using folder = await temporaryDirectory()
  const environment = { DATA_DIR: join(folder.path, 'data'), WIREGUARD_BACKEND: 'simulated' }
  await runCommand(['vpn', 'reset-admin-password'], environment)
  const key = join(folder.path, 'key-of-the-operator')
  await copyFile(join(environment.DATA_DIR, 'secret.key'), key)
  await chmod(key, 0o444)
  const result = await runCommand(['vpn', 'reset-admin-password'], { ...environment, SECRET_KEY_FILE: key })
  assert.equal(result.code, 0, result.stderr)
  assert.match(result.stderr, /^warning: .*key-of-the-operator could be read by others \(mode 0444\); run chmod 600/m)
  assert.equal(await modeOf(key), '444')
})

test('a weak password is refused on the command line with a clear message', async () => {
  await using folder = await temporaryDirectory()
  const environment = { DATA_DIR: join(folder.path, 'data'), WIREGUARD_BACKEND: 'simulated' }
  const create = async (password: string, more: Record<string, string> = {}) => {
    const file = join(folder.path, 'password')
    await writeFile(file, password)
    const options = { username: 'alex', email: 'alex@example.org', role: 'user', 'password-file': file, ...more }
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
    const { code, stderr } = await runCommand(['vpn', 'user', 'create', ...words], environment)
    return `${code} ${stderr.trim()}`
  }
  assert.equal(await create('short'), '1 hearth: --password-file: must have at least 8 characters')
  assert.equal(await create('x'.repeat(129)), '1 hearth: --password-file: must have at most 128 characters')
  assert.match(await create('password1'), /^1 hearth: .*[Pp]assword is one of the passwords tried first/)
  assert.equal(
    await create('tall-giraffe-on-ice-7', { email: 'nobody' }),
    '1 hearth: --email: is not a valid e-mail address',
  )
})

test('a URL with credentials is refused wherever one is stored, and the field is named', async () => {
  await using service = await startService()
  const address = 'https://user:word@example.org/file'
  const stores: [string, string, object, string][] = [
    ['PUT', '/api/settings', { geoip_country_url: address }, 'geoip_country_url'],
    ['PUT', '/api/settings', { geoip_asn_url: address }, 'geoip_asn_url'],
    ['POST', '/api/dns/blocklists', { name: 'x', url: address }, 'url'],
    ['PUT', '/api/dns/settings', { upstreams: [address.replace('/file', '/dns-query')] }, 'upstreams'],
  ]
  for (const [method, path, body, member] of stores) {
    const answer = await service.call(method, path, body)
    assert.equal(answer.status, 422, answer.text)
    assert.match(answer.text, new RegExp(member))
    assert.doesNotMatch(answer.text, /user:word/)
  }
})
