import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  eventually,
  freePort,
  runCommand,
  startProgram,
  startServiceProcess,
  temporaryDirectory,
} from '@hearth/testing'

test('a node is added, joins and runs from the command line, and is back after a restart of the service', async () => {
  await using folder = await temporaryDirectory()
  const port = await freePort()
  const service = {
    WIREGUARD_BACKEND: 'simulated',
    DATA_DIR: join(folder.path, 'service'),
    PUBLIC_ENDPOINT: '127.0.0.1',
    VPN_NODES_LISTEN: `127.0.0.1:${port}`,
  }
  const host = { DATA_DIR: join(folder.path, 'host'), WIREGUARD_BACKEND: 'simulated' }
  const url = `https://127.0.0.1:${port}`
  const added = await runCommand(['vpn', 'node', 'add', 'Berlin'], service)
  assert.equal(added.code, 0, added.stderr)
  assert.match(added.stdout, /^hvnode_\S+\n$/)
  assert.match(added.stderr, new RegExp(`hearth vpn node join ${url} --token-file -`))
  assert.match(
    (await runCommand(['vpn', 'node', 'run'], host)).stderr,
    /this host is no node yet: there is no .*node\.json/,
  )

  await using running = await startServiceProcess('vpn', service)
  const file = join(folder.path, 'token')
  await writeFile(file, added.stdout)
  const joinWords = ['vpn', 'node', 'join', url, '--token-file', file]
  const wrongPlace = await runCommand(joinWords, { DATA_DIR: service.DATA_DIR })
  assert.match(wrongPlace.stderr, /DATA_DIR: .* holds the data of a VPN service/)
  const joined = await runCommand(joinWords, host)
  assert.deepEqual([joined.code, joined.stdout], [0, ''], joined.stderr)
  assert.match(joined.stderr, /this host is the node Berlin/)

  await using node = startProgram(['vpn', 'node', 'run'], host)
  await eventually(
    () => [...node.stdout, ...node.stderr].join('\n'),
    (text) => text.includes(`node Berlin of ${url}`) && text.includes('reports to'),
    { what: 'the first report' },
  )
  const listed = await runCommand(['vpn', 'node', 'list'], service)
  assert.match(listed.stdout, /^Berlin\tlast seen \S+ at 127\.0\.0\.1\n$/)
  assert.equal((await runCommand(['vpn', 'node', 'remove', 'Nobody'], service)).code, 1)

  const second = await runCommand(['vpn', 'node', 'run'], host)
  assert.match(second.stderr, /is in use by another running service/)
  const lines = () => [...node.stdout, ...node.stderr]
  // Counted before the service stops: the report that fails may come while it does.
  const before = lines().length
  await running.stop()
  await eventually(
    () => lines().slice(before).join('\n'),
    (text) => text.includes('ECONNREFUSED'),
    { what: 'a report that fails', seconds: 60 },
  )
  await using _again = await startServiceProcess('vpn', service)
  await eventually(
    () => lines().slice(before).join('\n'),
    (text) => text.includes('reports to'),
    { what: 'the next report', seconds: 60 },
  )
  assert.equal(await node.stop(), 0)
})
