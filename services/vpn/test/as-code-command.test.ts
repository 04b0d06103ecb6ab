import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'

test('`hearth vpn apply` plans and does while the service is stopped, and over the API of one that runs', async () => {
  await using folder = await temporaryDirectory('as-code')
  const path = (name: string) => join(folder.path, name)
  const environment = { DATA_DIR: path('data'), WIREGUARD_BACKEND: 'simulated' }
  const run = (...args: string[]) => runCommand(['vpn', ...args], environment)
  const write = (name: string, lines: readonly string[]) => writeFile(path(name), `${lines.join('\n')}\n`)

  await write('bad.yaml', [
    'format: hearth-vpn-1',
    'interfaces:',
    '  home:',
    '    address: 10.8.0.1/33',
    '    colour: red',
    'peers:',
    '  phone:',
    '    interface: away',
  ])
  const bad = await run('apply', path('bad.yaml'), '--yes')
  assert.equal(bad.code, 1)
  assert.match(bad.stderr, /bad\.yaml:4: interfaces\.home\.address is not a valid IPv4 network/)
  assert.match(bad.stderr, /bad\.yaml:5: interfaces\.home\.colour is unknown/)

  const lines = ['format: hearth-vpn-1', 'interfaces:', '  home:', '    address: 10.8.0.1/24', 'peers:']
  await write('vpn.yaml', [...lines, '  phone: { interface: home, tags: [kids] }', '  tv: { interface: home }'])
  const trial = await run('apply', path('vpn.yaml'), '--dry-run')
  assert.equal(trial.code, 0, trial.stderr)
  assert.match(trial.stdout, /^\+ interface home\n\+ peer phone\n\+ peer tv\n/)
  assert.match(trial.stdout, /3 to create, 0 to change, 0 to delete\n$/)
  const unasked = await run('apply', path('vpn.yaml'))
  assert.match(unasked.stderr, /--yes is needed where nobody can be asked/)
  const made = await run('apply', path('vpn.yaml'), '--yes')
  assert.match(made.stdout, /done\n$/, made.stderr)
  assert.match((await run('apply', path('vpn.yaml'), '--yes')).stdout, /nothing to do\n$/)

  await writeFile(path('passphrase'), 'twelve green bottles\n')
  const secret = ['--with-secrets', '--passphrase-file', path('passphrase')]
  assert.equal((await run('export', path('all.yaml'), ...secret)).code, 0)
  const all = await readFile(path('all.yaml'), 'utf8')
  assert.match(all, /private_key: v1\./)
  assert.equal((await stat(path('all.yaml'))).mode & 0o077, 0, 'a file with secrets is for its owner')
  await writeFile(path('wrong'), 'another passphrase\n')
  const wrong = await run('apply', path('all.yaml'), '--yes', '--passphrase-file', path('wrong'))
  assert.match(wrong.stderr, /passphrase is not the one that the file was made with/)
  const same = await run('apply', path('all.yaml'), '--yes', '--passphrase-file', path('passphrase'))
  assert.match(same.stdout, /nothing to do\n$/)

  const token = await run('token', 'create', '--user', 'admin', '--name', 'test', '--permissions', 'full')
  await writeFile(path('token'), token.stdout)
  await using service = await startServiceProcess('vpn', environment)
  assert.match((await run('apply', path('vpn.yaml'), '--yes')).stderr, /is in use by another running service/)
  const remote = ['--url', service.url, '--token-file', path('token')]
  const plain = await run('export', ...remote)
  assert.match(plain.stdout, /^ {2}phone:\n {4}interface: home$/m)
  assert.equal((await run('export')).stdout, plain.stdout, 'the database says what the service says')
  await write('vpn.yaml', [...lines, '  phone: { interface: home }', '  ünknown: { interface: away }'])
  const refused = await run('apply', path('vpn.yaml'), '--yes', ...remote)
  assert.match(refused.stderr, /vpn\.yaml:7: peers\.ünknown\.interface is no interface/)
  await write('vpn.yaml', [...lines, '  phone: { interface: home }'])
  const changed = await run('apply', path('vpn.yaml'), '--yes', ...remote)
  assert.match(
    changed.stdout,
    /^~ peer phone: tags: \["kids"\] → \[\]\nstays, not in the file: peer tv\n/,
    changed.stderr,
  )
  const pruned = await run('apply', path('vpn.yaml'), '--yes', '--prune', ...remote)
  assert.match(pruned.stdout, /^- peer tv\n0 to create, 0 to change, 1 to delete\ndone\n$/)
})
