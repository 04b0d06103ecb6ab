import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { eventually, runCommand } from '@hearth/testing'
import { startSites } from './in-process.ts'
import { askHost } from './served.ts'

test('sites are added, listed and removed on the command line of a running service', async () => {
  await using sites = await startSites({}, { caddy: true })
  await sites.signIn()
  const upstream = createServer((_, response) => response.end('from upstream')).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  using _upstream = { [Symbol.dispose]: () => upstream.close() }
  const { port } = upstream.address() as AddressInfo
  const [httpPort, httpsPort] = sites.caddyPorts
  const env = { DATA_DIR: sites.folder, CADDY_HTTP_PORT: String(httpPort), CADDY_HTTPS_PORT: String(httpsPort) }
  const run = (...words: string[]) => runCommand(['sites', ...words], env)

  const to = `127.0.0.1:${port}`
  const added = await run('add', 'photos.test', 'pics.test', '--to', to, '--name', 'Photos', '--plain')
  assert.deepEqual([added.code, added.stderr], [0, ''])
  const served = await eventually(
    () => askHost(httpPort, 'pics.test'),
    ({ status }) => status === 200,
  )
  assert.equal(served.text, 'from upstream')
  const listed = await run('list')
  assert.equal(listed.stdout, `${added.stdout.trim()}\tPhotos\tproxy\ton\tphotos.test,pics.test\thttp://${to}\n`)
  const [whole] = JSON.parse((await run('list', '--json')).stdout) as { site_name: string; force_https: boolean }[]
  assert.deepEqual([whole?.site_name, whole?.force_https], ['Photos', false])

  const wrong: [string[], RegExp][] = [
    [['add', 'photos.test', '--to', to], /^hearth: .*photos\.test/],
    [
      ['add', 'other.test', '--to', 'ftp://x'],
      /^hearth: domains\.0: no public authority.*; --to: must start with http/,
    ],
    [['add', 'other.test', '--to', 'unix//run/x.sock', '--plain'], /^hearth: --to: is a socket outside/],
    [['add', 'not a name', '--to', to], /^hearth: domains[^\n]*not a name/],
    [['add', 'other.test', '--to', to, '--reach', 'nobody'], /--reach/],
    [['remove', 'nowhere.test'], /^hearth: there is no site .*nowhere\.test/],
  ]
  for (const [words, message] of wrong) {
    const { code, stdout, stderr } = await run(...words)
    assert.deepEqual([code, stdout], [1, ''], words.join(' '))
    assert.match(stderr, message)
  }

  const inner = await run('add', 'inner.test', '--to', to, '--plain', '--reach', 'tunnel')
  const all = JSON.parse((await run('list', '--json')).stdout) as { site_name: string; reach: string }[]
  assert.deepEqual([inner.code, all.find((one) => one.site_name === 'inner.test')?.reach], [0, 'tunnel'])
  const closed = await eventually(
    () => askHost(httpPort, 'inner.test'),
    ({ status }) => status !== 404,
  )
  assert.equal(closed.status, 503, 'no tunnel is known')
  await run('remove', 'inner.test')

  // A name that is a domain of another site means neither.
  const other = await run('add', 'books.test', '--to', '127.0.0.1:9', '--name', 'pics.test', '--plain')
  assert.equal(other.code, 0, other.stderr)
  const unclear = await run('remove', 'pics.test')
  assert.deepEqual([unclear.code, /several sites; .*Photos/.test(unclear.stderr)], [1, true], unclear.stderr)
  assert.equal((await run('remove', 'BOOKS.test.')).code, 0)
  assert.equal((await run('remove', 'pics.test')).code, 0)
  await eventually(
    () => askHost(httpPort, 'pics.test'),
    ({ text }) => text !== 'from upstream',
  )
  assert.equal((await run('list')).stdout, '')
})
