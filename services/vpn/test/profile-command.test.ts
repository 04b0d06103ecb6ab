import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'

test('`hearth vpn profile` works on a stopped service, and on one that runs', async () => {
  await using folder = await temporaryDirectory('profiles')
  const path = (name: string) => join(folder.path, name)
  const environment = { DATA_DIR: path('data'), WIREGUARD_BACKEND: 'simulated' }
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(['vpn', ...args], environment)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const fails = async (...args: string[]) => {
    const { code, stderr } = await runCommand(['vpn', ...args], environment)
    assert.equal(code, 1, args.join(' '))
    return stderr
  }
  const peers = '{ phone: { interface: home }, tv: { interface: home } }'
  const state = `format: hearth-vpn-1\ninterfaces: { home: { address: 10.8.0.1/24 } }\npeers: ${peers}\n`
  await writeFile(path('vpn.yaml'), state)
  await run('apply', path('vpn.yaml'), '--yes')
  await writeFile(path('kids.yaml'), 'services: [tiktok]\nself_pause_minutes: 5\npeers: [phone]\n')

  assert.equal(await run('profile', 'list'), '')
  await run('profile', 'create', 'Kids', path('kids.yaml'))
  assert.match(await fails('profile', 'create', 'kids', path('kids.yaml')), /there is a profile Kids already/)
  assert.equal(await run('profile', 'list'), 'Kids\t1 device\tKids holds\n')
  assert.equal(
    await run('profile', 'show', 'kids'),
    'services:\n  - tiktok\nself_pause_minutes: 5\npeers:\n  - phone\n',
  )
  await run('profile', 'pause', 'Kids', '--minutes', '30')
  assert.match(await run('profile', 'list'), /^Kids\t1 device\tpaused until 20/)
  assert.match(await fails('profile', 'pause', 'Kids', '--minutes', '0'), /must be a whole number from 1 to 10080/)

  await writeFile(
    path('token'),
    await run('token', 'create', '--user', 'admin', '--name', 'x', '--permissions', 'full'),
  )
  await using service = await startServiceProcess('vpn', environment)
  const remote = ['--url', service.url, '--token-file', path('token')]
  assert.match(await fails('profile', 'resume', 'Kids'), /is in use by another running service/)
  await run('profile', 'resume', 'Kids', ...remote)
  await writeFile(path('guests.yaml'), 'safe_search: true\n')
  await run('profile', 'create', 'Guests', path('guests.yaml'), ...remote)
  await run('profile', 'assign', 'phone', 'guests', ...remote)
  await run('profile', 'assign', 'tv', 'Kids', ...remote)
  assert.equal(await run('profile', 'list', ...remote), 'Guests\t1 device\tGuests holds\nKids\t1 device\tKids holds\n')
  await run('profile', 'assign', 'phone', ...remote)
  const [guests] = JSON.parse(await run('profile', 'list', '--json', ...remote)) as { peer_count: number }[]
  assert.equal(guests?.peer_count, 0)
  await writeFile(path('change.yaml'), 'youtube: strict\n')
  await run('profile', 'update', 'Kids', path('change.yaml'), ...remote)
  assert.match(await run('profile', 'show', 'Kids', ...remote), /^services:[^]*youtube: strict[^]*peers:\n {2}- tv\n$/)
  await writeFile(path('change.yaml'), 'services: [nothing]\n')
  const wrong = await fails('profile', 'update', 'Kids', path('change.yaml'), ...remote)
  assert.match(wrong, /change\.yaml: dns_profiles\.Kids\.services\.0 is no service/)
  assert.match(await fails('profile', 'assign', 'nobody', 'Kids', ...remote), /is no peer/)
  assert.match(await fails('profile', 'show', 'Nobody', ...remote), /there is no profile Nobody/)

  assert.equal(await run('device-pause', 'list', ...remote), '')
  assert.match(await fails('device-pause', 'end', 'tv', ...remote), /tv has not paused its filter/)
})
