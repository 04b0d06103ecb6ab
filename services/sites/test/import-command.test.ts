import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, runCommand } from '@hearth/testing'
import { startSites } from './in-process.ts'
import { askHost, makeSite, sayingSite } from './served.ts'

const caddyfile = `
http://old.test {
	respond "from the Caddyfile"
}
http://proxied.test {
	reverse_proxy 127.0.0.1:9
}
`

test('the command line imports into a running service, which then serves the sites', async () => {
  await using sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  await makeSite(admin, sayingSite('there', 'there before'))
  const file = join(sites.folder, 'Caddyfile')
  await writeFile(file, caddyfile)
  const [httpPort, httpsPort] = sites.caddyPorts
  const env = { DATA_DIR: sites.folder, CADDY_HTTP_PORT: String(httpPort), CADDY_HTTPS_PORT: String(httpsPort) }
  const words = ['sites', 'import', 'caddyfile', file]
  const dry = await runCommand([...words, '--dry-run'], env)
  assert.equal(dry.code, 0, dry.stderr)
  assert.match(dry.stdout, /2 of 2 sites can be created; nothing was changed/)
  const done = await runCommand(words, env)
  assert.equal(done.code, 0, done.stderr)
  assert.match(done.stdout, /2 of 2 sites were created/)
  const served = await eventually(
    () => askHost(httpPort, 'old.test'),
    ({ status }) => status === 200,
  )
  assert.equal(served.text, 'from the Caddyfile')
  const again = await runCommand(words, env)
  assert.equal(again.code, 1)
  assert.match(again.stdout, /conflicting/)
  const wrong = await runCommand(['sites', 'import', 'caddyfile', join(sites.folder, 'nowhere')], env)
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /nowhere/)
})
