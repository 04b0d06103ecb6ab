import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort, runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { User } from '../src/accounts/schema.ts'
import { createBrowser } from './browser.ts'
import { startSites, testPassword } from './in-process.ts'

test('a wrong setting ends with one line that names it, exit code 1 and no changes', async () => {
  await using folder = await temporaryDirectory()
  const environment = { DATA_DIR: join(folder.path, 'd'), BIND_PORT: '0', CADDY_ADMIN: 'localhost:2019' }
  const { code, stdout, stderr } = await runCommand(['sites', 'serve'], environment)
  assert.deepEqual([code, stdout, existsSync(environment.DATA_DIR)], [1, '', false])
  assert.match(stderr, /^hearth: CADDY_ADMIN: [^\n]+\n$/)
})

test('every start prints the set-up token until set-up is done; a second start on the same data is refused', async () => {
  await using folder = await temporaryDirectory()
  const environment = {
    DATA_DIR: folder.path,
    CADDY_HTTP_PORT: String(await freePort()),
    CADDY_HTTPS_PORT: String(await freePort()),
  }
  const first = await startServiceProcess('sites', environment)
  const tokenIn = (lines: readonly string[]) => lines.map((line) => /│ ([\w-]{43}) +│/.exec(line)?.[1]).find(Boolean)
  const token = tokenIn(first.stdout)
  assert.ok(token !== undefined)
  const second = await runCommand(['sites', 'serve'], { ...environment, BIND_PORT: '0' })
  assert.deepEqual([second.code, /in use/.test(second.stderr)], [1, true])
  assert.equal(await first.stop(), 0)
  const again = await startServiceProcess('sites', environment)
  assert.equal(tokenIn(again.stdout), token)
  const browser = createBrowser(() => again.url)
  const json = { token, username: 'ada', password: testPassword }
  assert.equal((await browser.call('POST', '/api/setup', { json })).status, 200)
  assert.equal(await again.stop(), 0)
  await using third = await startServiceProcess('sites', environment)
  assert.equal(tokenIn(third.stdout), undefined)
})

test('a stopped service ends after its Caddy and can start again at once', async () => {
  await using folder = await temporaryDirectory()
  const ports = { CADDY_HTTP_PORT: String(await freePort()), CADDY_HTTPS_PORT: String(await freePort()) }
  const pidFile = join(folder.path, 'caddy/caddy.pid')
  for (let start = 1; start <= 3; start += 1) {
    const service = await startServiceProcess('sites', { DATA_DIR: folder.path, ...ports })
    const caddy = Number(await readFile(pidFile, 'utf8'))
    assert.equal(await service.stop(), 0)
    assert.deepEqual([existsSync(`/proc/${caddy}`), existsSync(pidFile)], [false, false])
  }
})

test('a backup of a running service restores users and settings, and needs the same key', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  await sites.addUser('ada', 'user')
  await admin.call('PATCH', '/api/v1/settings', { json: { acme_email: 'ops@example.org' } })
  const file = join(sites.folder, 'backup')
  const made = await runCommand(['sites', 'backup', file], { DATA_DIR: sites.folder })
  assert.equal(made.code, 0, made.stderr)
  assert.equal((await runCommand(['sites', 'restore', file], { DATA_DIR: sites.folder })).code, 1)
  const check = await runCommand(['sites', 'restore', '--check', file], { DATA_DIR: sites.folder })
  assert.deepEqual([check.code, check.stderr], [0, ''])
  assert.match(check.stdout, /backup of sites from 20/)
  assert.match(check.stdout, /^ +2 users$/m)
  assert.match(check.stdout, /can be restored: \d+ rows\n$/)
  await using other = await temporaryDirectory()
  const foreign = await runCommand(['sites', 'restore', file], { DATA_DIR: join(other.path, 'foreign') })
  assert.deepEqual([foreign.code, /key/.test(foreign.stderr)], [1, true])
  assert.equal(existsSync(join(other.path, 'foreign')), false, 'a refused restore leaves nothing')
  const rightKey = { DATA_DIR: join(other.path, 'foreign'), SECRET_KEY_FILE: join(sites.folder, 'secret.key') }
  const second = await runCommand(['sites', 'restore', file], rightKey)
  assert.equal(second.code, 0, second.stderr)
  const folder = join(other.path, 'data')
  await mkdir(folder)
  const target = { DATA_DIR: folder, SECRET_KEY_FILE: join(sites.folder, 'secret.key') }
  const restored = await runCommand(['sites', 'restore', file], target)
  assert.equal(restored.code, 0, restored.stderr)
  await using again = await startSites(target, { folder })
  const browser = await again.signIn()
  const users = await browser.json<User[]>('GET', '/api/users')
  assert.deepEqual(
    users.body.map(({ username, role }) => [username, role]),
    [
      ['admin', 'admin'],
      ['ada', 'user'],
    ],
  )
  const settings = await browser.json<{ acme_email: string }>('GET', '/api/v1/settings')
  assert.equal(settings.body.acme_email, 'ops@example.org')
  // Who was signed in when the backup was made is not signed in where it was restored.
  const thief = createBrowser(() => again.url, new Map(admin.cookies))
  assert.equal((await thief.call('GET', '/api/session')).status, 401)
  await writeFile(file, 'damaged')
  assert.equal((await runCommand(['sites', 'restore', file], { ...target, DATA_DIR: join(other.path, 'x') })).code, 1)
})

test('restore --check refuses a backup that was damaged, cut short or made with another key, and changes nothing', async () => {
  await using place = await temporaryDirectory()
  const here = { DATA_DIR: join(place.path, 'here') }
  const file = join(place.path, 'backup')
  assert.equal((await runCommand(['sites', 'backup', file], here)).code, 0)
  const content = await readFile(file)
  const refusals = [
    {
      name: 'damaged',
      content: Buffer.from(content.map((byte, at) => (at === content.length - 40 ? byte ^ 1 : byte))),
    },
    { name: 'cut-short', content: content.subarray(0, content.length - 100) },
    { name: 'empty', content: Buffer.alloc(0) },
  ]
  for (const { name, content } of refusals) {
    const path = join(place.path, name)
    await writeFile(path, content)
    const { code, stdout, stderr } = await runCommand(['sites', 'restore', '--check', path], here)
    assert.deepEqual([name, code, stdout], [name, 1, ''])
    assert.match(stderr, new RegExp(`${path} .*(cannot be read|is not a backup)`))
  }
  assert.equal((await runCommand(['sites', 'restore', '--check', file], here)).code, 0)
  const foreign = { DATA_DIR: join(place.path, 'foreign') }
  const other = await runCommand(['sites', 'restore', '--check', file], foreign)
  assert.deepEqual([other.code, /key/.test(other.stderr)], [1, true])
  assert.equal(existsSync(foreign.DATA_DIR), false)
})

test('doctor reports which Caddy there is, or what is missing without one', async () => {
  const facts = async (environment: Record<string, string>) => {
    const { stdout } = await runCommand(['doctor', '--json'], environment)
    return stdout
  }
  assert.match(await facts({}), /caddy/)
  assert.match(await facts({ CADDY_PATH: '/nowhere/caddy' }), /\/nowhere\/caddy cannot be run/)
  assert.match(await facts({ CADDY_PATH: '/nowhere/caddy', CADDY_ADMIN: 'http://127.0.0.1:2019' }), /not needed/)
})
