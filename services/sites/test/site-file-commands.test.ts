import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, runCommand } from '@hearth/testing'
import { startSites } from './in-process.ts'
import { askHost } from './served.ts'

test('sites are exported and applied on the command line of a running service', async () => {
  await using sites = await startSites({}, { caddy: true })
  await sites.signIn()
  const upstream = createServer((_, response) => response.end('from upstream')).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  using _upstream = { [Symbol.dispose]: () => upstream.close() }
  const { port } = upstream.address() as AddressInfo
  const [httpPort, httpsPort] = sites.caddyPorts
  const env = { DATA_DIR: sites.folder, CADDY_HTTP_PORT: String(httpPort), CADDY_HTTPS_PORT: String(httpsPort) }
  const run = (...words: string[]) => runCommand(['sites', ...words], env)
  const file = join(sites.folder, 'sites.yaml')
  const write = (text: string) => writeFile(file, text)
  const entry = (name: string, domain: string, more = '') =>
    `  - { site_name: ${name}, domains: [${domain}], upstreams: [{ url: "http://127.0.0.1:${port}" }], force_https: false, tls: { mode: "off" }${more} }\n`

  assert.equal((await run('add', 'old.test', '--to', '127.0.0.1:9', '--name', 'Old', '--plain')).code, 0)
  await write(`sites:\n${entry('Photos', 'photos.test')}${entry('Books', 'books.test')}`)
  const dry = await run('apply', file, '--dry-run')
  assert.deepEqual(
    [dry.code, dry.stdout],
    [0, 'create Photos\ncreate Books\nnot in the file, stays: Old\n2 sites would be changed; nothing was\n'],
  )
  assert.doesNotMatch((await run('list')).stdout, /Photos/)
  assert.match((await run('apply', file)).stdout, /2 sites changed/)
  for (const host of ['photos.test', 'books.test'])
    await eventually(
      () => askHost(httpPort, host),
      ({ text }) => text === 'from upstream',
    )
  const again = await run('apply', file)
  assert.equal(again.stdout, 'not in the file, stays: Old\neverything is as the file says\n')

  await write(
    `sites:\n${entry('Photos', 'photos.test', ', check: { path: /login, interval_seconds: 30 }')}${entry('Books', 'books.test', ', check: { enabled: false }')}`,
  )
  assert.match((await run('apply', file)).stdout, /^change Photos: check\nchange Books: check$/m)
  const checks = (await run('export')).stdout
  assert.match(checks, /check:\n +enabled: false\n/)
  assert.match(checks, /check:\n +interval_seconds: 30\n +path: \/login\n/)
  const status = (await run('status')).stdout.split('\n').map((line) => line.split('\t').slice(0, 3))
  assert.deepEqual(
    status.slice(1, 3).map(([, name, state]) => [name, state === 'off' ? state : 'checked']),
    [
      ['Photos', 'checked'],
      ['Books', 'off'],
    ],
  )

  await write(`sites:\n${entry('Photos', 'photos.test')}${entry('Books', 'books.test')}`)
  assert.equal((await run('apply', file)).code, 0)
  const exported = await run('export')
  await write(exported.stdout)
  assert.equal((await run('apply', file, '--prune')).stdout, 'everything is as the file says\n')

  await write(`sites:\n${entry('Photos', 'pics.test')}`)
  const pruned = await run('apply', file, '--prune')
  assert.deepEqual(pruned.stdout.split('\n').slice(0, 3), ['change Photos: domains', 'delete Old', 'delete Books'])
  await eventually(
    () => askHost(httpPort, 'pics.test'),
    ({ text }) => text === 'from upstream',
  )
  await eventually(
    () => askHost(httpPort, 'books.test'),
    ({ text }) => text !== 'from upstream',
  )

  // Domains and names move between sites of one file.
  await write(`sites:\n${entry('Photos', 'pics.test')}${entry('Books', 'books.test')}`)
  assert.equal((await run('apply', file)).code, 0)
  await write(`sites:\n${entry('Photos', 'books.test')}${entry('Books', 'pics.test')}`)
  const swapped = await run('apply', file)
  assert.deepEqual([swapped.code, swapped.stderr], [0, ''])
  assert.match(swapped.stdout, /^change Photos: domains\nchange Books: domains\n2 sites changed$/m)
  await write(`sites:\n${entry('New', 'books.test')}${entry('Photos', 'photos.test')}${entry('Books', 'pics.test')}`)
  assert.match((await run('apply', file)).stdout, /create New/)
  await write(`sites:\n${entry('Photos', 'pics.test')}`)
  assert.equal((await run('apply', file, '--prune')).code, 0)

  // One wrong site keeps all from being changed.
  await write(
    `sites:\n${entry('Photos', 'photos.test')}${entry('Socket', 'socket.test').replace(/http:[^"]*/, 'unix//run/x.sock')}`,
  )
  const refused = await run('apply', file)
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^hearth: Socket: upstreams\.0\.url: is a socket outside/)
  assert.match((await run('list')).stdout, /pics\.test/)
  const missing = await run('apply', join(sites.folder, 'none.yaml'))
  assert.deepEqual([missing.code, /none\.yaml: ENOENT/.test(missing.stderr)], [1, true])
})

test('a file with protected sites and their portal is applied', async () => {
  await using sites = await startSites({}, { caddy: true })
  await sites.signIn()
  const [httpPort, httpsPort] = sites.caddyPorts
  const env = { DATA_DIR: sites.folder, CADDY_HTTP_PORT: String(httpPort), CADDY_HTTPS_PORT: String(httpsPort) }
  const file = join(sites.folder, 'sites.yaml')
  const write = (domain: string) =>
    writeFile(
      file,
      `sites:
  - { site_name: Files, domains: [${domain}], upstreams: [{ url: "http://10.0.0.9:8080" }], tls: { mode: internal }, sign_in: {} }
  - { site_name: Portal, domains: [auth.test], kind: portal, tls: { mode: internal } }
`,
    )
  await write('files.test')
  const applied = await runCommand(['sites', 'apply', file], env)
  assert.deepEqual([applied.code, applied.stderr], [0, ''])
  await write('others.test')
  const foreign = await runCommand(['sites', 'apply', file], { ...env, CADDY_ADMIN: 'http://127.0.0.1:9' })
  assert.match(foreign.stderr, /with CADDY_ADMIN there is no portal/)
})

test('groups of users come with the sites that name them, or not at all', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  const [httpPort, httpsPort] = sites.caddyPorts
  const env = { DATA_DIR: sites.folder, CADDY_HTTP_PORT: String(httpPort), CADDY_HTTPS_PORT: String(httpsPort) }
  const run = (...words: string[]) => runCommand(['sites', ...words], env)
  const file = join(sites.folder, 'sites.yaml')
  const write = (groups: string, named: string) =>
    writeFile(
      file,
      `${groups}sites:
  - { site_name: Files, domains: [files.test], upstreams: [{ url: "http://10.0.0.9:8080" }], tls: { mode: internal }, sign_in: { groups: [${named}] } }
  - { site_name: Portal, domains: [auth.test], kind: portal, tls: { mode: internal } }
`,
    )
  const groups = async () =>
    (await admin.json<{ name: string; user_ids: string[] }[]>('GET', '/api/v1/portal/groups')).body.map(
      ({ name, user_ids: ids }) => [name, ids.length],
    )
  const [user] = (await admin.json<{ username: string }[]>('GET', '/api/users')).body
  assert.ok(user !== undefined)

  await write('groups: { family: [nobody] }\n', 'family')
  assert.match((await run('apply', file)).stderr, /^hearth: group family: there is no user nobody$/m)
  await write(`groups: { family: [${user.username}] }\n`, 'friends')
  assert.match((await run('apply', file)).stderr, /Files: sign_in\.groups\.0: names a group that there is not: friends/)
  assert.deepEqual(await groups(), [], 'nothing of a file that is refused is there')

  await write(`groups: { family: [${user.username}] }\n`, 'family')
  const dry = await run('apply', file, '--dry-run')
  assert.match(
    dry.stdout,
    /^create group family: \+admin\ncreate Files\ncreate Portal\n1 group and 2 sites would be changed/,
  )
  assert.deepEqual(await groups(), [])
  assert.match((await run('apply', file)).stdout, /^1 group and 2 sites changed$/m)
  assert.deepEqual(await groups(), [['family', 1]])
  type Log = { events: { kind: string; target: string; detail: string }[] }
  const log = (await admin.json<Log>('GET', '/api/security-log?limit=100')).body.events
  const noted = log.find(({ kind }) => kind === 'rights_changed')
  assert.deepEqual([noted?.target, noted?.detail], ['family', 'group created by a file'])
  assert.equal((await run('apply', file)).stdout, 'everything is as the file says\n')
  const exported = await run('export')
  assert.match(exported.stdout, new RegExp(`^groups:\\n  family:\\n    - ${user.username}\\nsites:`))

  await write('groups: {}\n', 'family')
  assert.match(
    (await run('apply', file, '--prune')).stderr,
    /group family: the site Files names it|there is not: family/,
  )
  await write('groups: {}\n', '')
  assert.match(
    (await run('apply', file, '--prune')).stdout,
    /^delete group family: -admin\nchange Files: sign_in\n1 group and 1 site changed$/m,
  )
  assert.deepEqual(await groups(), [])
})

test('applications come with the groups that they name; a new one gets a secret that is printed once', async () => {
  await using sites = await startSites({})
  const admin = await sites.signIn()
  const run = (...words: string[]) => runCommand(['sites', ...words], { DATA_DIR: sites.folder })
  const file = join(sites.folder, 'sites.yaml')
  const write = (applications: string, groups = 'groups: { family: [] }\n') =>
    writeFile(file, `${groups}applications:\n${applications}sites: []\n`)
  const grafana = '  - { name: Grafana, preset: grafana, redirect_uris: [https://g.test/cb], groups: [family] }\n'
  const phone = '  - { name: Phone, redirect_uris: [https://p.test/cb], is_public: true }\n'
  const clients = async () => {
    type List = { clients: { id: string; name: string; groups: string[]; is_public: boolean }[] }
    return (await admin.json<List>('GET', '/api/v1/openid/clients')).body.clients
  }

  await write(`${grafana.replace('family', 'nobody')}${phone.replace('https', 'http')}`)
  const refused = await run('apply', file)
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /application Grafana: groups: name a group that there is not: nobody/)
  assert.match(refused.stderr, /application Phone: redirect_uris\.0: must use https/)
  assert.deepEqual(await clients(), [])

  await write(`${grafana}${phone}`)
  const dry = await run('apply', file, '--dry-run')
  assert.equal(
    dry.stdout,
    'create group family\ncreate application Grafana; gets a secret\ncreate application Phone\n' +
      '1 group and 2 applications would be changed; nothing was\n',
  )
  assert.deepEqual(await clients(), [])
  const applied = await run('apply', file)
  const [first, second] = await clients()
  const [, secret] =
    /^application Grafana: client id \S+, client secret ([\w-]{43}), shown this once$/m.exec(applied.stdout) ?? []
  assert.ok(secret !== undefined, applied.stdout)
  assert.match(applied.stdout, new RegExp(`^application Grafana: client id ${first?.id},`, 'm'))
  assert.match(applied.stdout, new RegExp(`^application Phone: client id ${second?.id}$`, 'm'))
  assert.equal((await run('apply', file, '--prune')).stdout, 'everything is as the file says\n')

  const exported = (await run('export')).stdout
  assert.ok(!exported.includes(secret))
  await writeFile(file, exported)
  assert.equal((await run('apply', file, '--prune')).stdout, 'everything is as the file says\n')

  await write(phone.replace(', is_public: true', ''), '')
  assert.match(
    (await run('apply', file, '--dry-run')).stdout,
    /^change application Phone: is_public; gets a secret\nnot in/,
  )
  const pruned = await run('apply', file, '--prune')
  assert.match(pruned.stdout, /^delete application Grafana\napplication Phone: client id \S+, client secret [\w-]{43}/m)
  const [left, ...none] = await clients()
  assert.deepEqual([left?.id, left?.is_public, none], [second?.id, false, []])
  // A group goes with the application that named it, and not before.
  await write(grafana)
  assert.equal((await run('apply', file)).code, 0)
  await writeFile(file, 'groups: {}\nsites: []\n')
  assert.match((await run('apply', file, '--prune')).stderr, /group family: the application Grafana names it/)
  await writeFile(file, 'groups: {}\napplications: []\nsites: []\n')
  assert.match((await run('apply', file, '--prune')).stdout, /^1 group and 2 applications changed$/m)
})
