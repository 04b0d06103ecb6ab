import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { adGuardClient, adGuardHome, teleporter } from './foreign-filters.ts'
import { newKeys } from './foreign-servers.ts'

test('`hearth vpn import` takes over AdGuard Home while the service is stopped, Pi-hole and a server while it runs', async () => {
  await using folder = await temporaryDirectory('import')
  const path = (name: string) => join(folder.path, name)
  const environment = { DATA_DIR: path('data'), WIREGUARD_BACKEND: 'simulated', DNS_UPSTREAMS: '' }
  const run = (...args: string[]) => runCommand(['vpn', ...args], environment)
  const succeeds = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const write = ({ name, content }: { name: string; content: string }) =>
    writeFile(path(name), Buffer.from(content, 'base64'))
  const kids = adGuardClient('Kids', ['10.8.0.2'], { use_global_settings: false, filtering_enabled: true })
  await write(adGuardHome({ clients: { persistent: [kids] } }))
  await write(teleporter())
  const server = newKeys()
  await writeFile(
    path('wg0.conf'),
    `[Interface]\nPrivateKey = ${server.privateKey}\nAddress = 10.8.0.1/24\nListenPort = 51820\n`,
  )

  const trial = await succeeds('import', path('AdGuardHome.yaml'), '--dry-run')
  assert.match(trial, /^AdGuard Home\nlists: 2\nrules: 5\nlocal names: 4\nzones: 2\nprofiles: 1\nupstreams: 9\.9\.9\.9/)
  assert.match(trial, /left out: Own: is a list in a file[^]*nothing was changed, because of --dry-run\n$/)
  assert.equal(await succeeds('profile', 'list'), '')
  const made = await succeeds('import', path('AdGuardHome.yaml'), '--part', 'rules', 'clients')
  assert.match(made, /^AdGuard Home\nrules: 5, 5 created, 0 there already\nprofiles: 1, 1 created/)
  assert.match(await succeeds('profile', 'list'), /^Kids\t/)

  for (const [args, message] of [
    [[path('AdGuardHome.yaml'), path('wg0.conf')], /AdGuardHome\.yaml is of a DNS filter and wg0\.conf of a server/],
    [[path('AdGuardHome.yaml'), '--stopped'], /--stopped: AdGuardHome\.yaml is of a DNS filter/],
    [[path('AdGuardHome.yaml'), '--part', 'peers'], /must be one of lists, rules/],
    [[path('wg0.conf'), '--part', 'rules'], /--part: there is no file of a DNS filter/],
  ] as const) {
    const { code, stderr } = await run('import', ...args)
    assert.equal(code, 1)
    assert.match(stderr, message)
  }

  await writeFile(
    path('token'),
    await succeeds('token', 'create', '--user', 'admin', '--name', 'x', '--permissions', 'full'),
  )
  await using service = await startServiceProcess('vpn', environment)
  const remote = ['--url', service.url, '--token-file', path('token')]
  assert.match((await run('import', path('AdGuardHome.yaml'))).stderr, /is in use by another running service/)
  const fromPiHole = await succeeds('import', path('pi-hole_teleporter.zip'), ...remote)
  assert.match(fromPiHole, /^Pi-hole\nlists: 2, 2 created, 0 there already\nrules: 4, 4 created[^]*done\n$/)
  const tunnel = await succeeds('import', path('wg0.conf'), '--name', 'wg0=home', ...remote)
  assert.match(tunnel, /^home \(wg-quick\): 10\.8\.0\.1\/24, UDP port 51820, 0 peers\n[^]*0 peers created\n$/)
  assert.ok(!tunnel.includes(server.privateKey))
})
