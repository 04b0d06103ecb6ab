import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '@hearth/testing'
import type { OpenIdClientView } from '../src/openid-provider/schema.ts'
import { startSites } from './in-process.ts'

interface ClientList {
  readonly clients: readonly OpenIdClientView[]
}

test('applications are added, shown, changed and removed on the command line of a running service', async () => {
  await using sites = await startSites({})
  const admin = await sites.signIn()
  const group = await admin.json('POST', '/api/v1/portal/groups', { json: { name: 'family', user_ids: [] } })
  assert.equal(group.status, 201, JSON.stringify(group.body))
  const run = (...words: string[]) => runCommand(['sites', 'applications', ...words], { DATA_DIR: sites.folder })
  const clients = async () => (await admin.json<ClientList>('GET', '/api/v1/openid/clients')).body.clients
  const good = async (...words: string[]) => {
    const result = await run(...words)
    assert.equal(result.code, 0, result.stderr)
    return result.stdout
  }

  const added = await run(
    'add',
    'Grafana',
    '--preset',
    'grafana',
    '--address',
    'https://grafana.test/',
    '--group',
    'family',
  )
  assert.equal(added.code, 0, added.stderr)
  const [id, secret] = added.stdout.trim().split('\t')
  assert.match(secret ?? '', /^[\w-]{43}$/)
  assert.ok(!added.stderr.includes(secret ?? ''))
  const [grafana] = await clients()
  assert.deepEqual(
    [grafana?.id, grafana?.preset, grafana?.redirect_uris, grafana?.post_logout_redirect_uris, grafana?.groups],
    [id, 'grafana', ['https://grafana.test/login/generic_oauth'], ['https://grafana.test/login'], ['family']],
  )
  assert.equal(
    await good('list'),
    `${id}\tGrafana\tgrafana\tsecret\tfamily\thttps://grafana.test/login/generic_oauth\n`,
  )
  const shown = await good('show', 'grafana')
  assert.match(shown, new RegExp(`GF_AUTH_GENERIC_OAUTH_CLIENT_ID=${id}\n`))
  assert.match(shown, /GF_SERVER_ROOT_URL=https:\/\/grafana\.test\//)
  assert.ok(!shown.includes(secret ?? ''), 'a secret is shown once')

  const renewed = await run('new-secret', 'Grafana')
  assert.match(renewed.stdout, /^[\w-]{43}\n$/)
  assert.notEqual(renewed.stdout.trim(), secret)

  await good(
    'change',
    id ?? '',
    '--name',
    'Charts',
    '--no-group',
    '--redirect-uri',
    'https://a.test/1',
    '--redirect-uri',
    'https://a.test/2',
  )
  const [charts] = await clients()
  assert.deepEqual(
    [charts?.id, charts?.name, charts?.groups, charts?.redirect_uris, charts?.post_logout_redirect_uris],
    [id, 'Charts', [], ['https://a.test/1', 'https://a.test/2'], ['https://grafana.test/login']],
  )
  await good('change', 'charts', '--address', 'https://charts.test')
  assert.deepEqual((await clients())[0]?.redirect_uris, ['https://charts.test/login/generic_oauth'])

  const phone = JSON.parse(await good('add', 'Phone', '--redirect-uri', 'https://p.test/cb', '--public', '--json')) as {
    client_id: string
    client_secret: string | null
  }
  assert.equal(phone.client_secret, null)
  const [, second] = JSON.parse(await good('list', '--json')) as OpenIdClientView[]
  assert.deepEqual([second?.id, second?.is_public, second?.pkce_required], [phone.client_id, true, true])
  await good('remove', 'Phone')
  assert.deepEqual(
    (await clients()).map(({ name }) => name),
    ['Charts'],
  )
  const log = JSON.stringify((await admin.json('GET', '/api/security-log')).body)
  for (const detail of [
    'application added',
    'application changed',
    'new secret of the application',
    'application deleted',
  ])
    assert.ok(log.includes(detail), detail)
  assert.ok(!log.includes(secret ?? ''))
})

test('what is wrong about an application is said by the name of the option, and nothing is changed', async () => {
  await using sites = await startSites({})
  const admin = await sites.signIn()
  const run = (...words: string[]) => runCommand(['sites', 'applications', ...words], { DATA_DIR: sites.folder })
  assert.equal((await run('add', 'A', '--redirect-uri', 'https://a.test/cb')).code, 0)
  const wrong: [string[], RegExp][] = [
    [['add', 'B'], /--address: is required, such as https:/],
    [
      ['add', 'B', '--preset', 'nothing', '--address', 'https://b.test'],
      /--preset: there is no kind nothing; there are grafana/,
    ],
    [['add', 'B', '--redirect-uri', 'http://b.test/cb'], /--redirect-uri: must use https/],
    [
      ['add', 'B', '--redirect-uri', 'https://b.test/cb', '--group', 'nobody'],
      /--group: name a group that there is not: nobody/,
    ],
    [['add', 'B', '--redirect-uri', 'https://b.test/cb', '--public', '--no-pkce'], /--pkce: is needed without/],
    [['add', 'A', '--redirect-uri', 'https://b.test/cb'], /Another application has this name/],
    [['add', 'B', '--redirect-uri', 'https://b.test/cb', '--consent', 'never'], /--consent/],
    [['change', 'A'], /nothing to change/],
    [['change', 'C', '--pkce'], /no application with the client id or name C/],
    [['new-secret', 'C'], /no application/],
    [['remove', 'C'], /no application/],
    [['show', 'C'], /no application/],
  ]
  for (const [words, message] of wrong) {
    const { code, stdout, stderr } = await run(...words)
    assert.deepEqual([code, stdout], [1, ''], words.join(' '))
    assert.match(stderr, message)
  }
  const { clients } = (await admin.json<ClientList>('GET', '/api/v1/openid/clients')).body
  assert.deepEqual(
    clients.map(({ name, redirect_uris: uris }) => [name, uris]),
    [['A', ['https://a.test/cb']]],
  )
})
