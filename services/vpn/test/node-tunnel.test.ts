import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eventually } from '@hearth/testing'
import { generateKeyPair } from '../src/wireguard/keys.ts'
import { tunnelsObstacle } from './network-hosts.ts'
import { type NodePeer, NodeWorld } from './node-world.ts'
import { startPing } from './steady-ping.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false
const gateway = '10.79.0.1'
const streamProgram = join(import.meta.dirname, 'stream-server.ts')

describe('a node', () => {
  const hosts = new AsyncDisposableStack()
  let world: NodeWorld
  let [steady, other]: NodePeer[] = []
  before(async () => {
    if (obstacle !== null) return
    world = hosts.use(await NodeWorld.create())
    steady = await world.connect('steady', '10.79.0.2')
    other = await world.connect('other', '10.79.0.3')
    await world.want({ peers: both() })
    await world.service.start()
    await world.node.start()
  })
  after(() => hosts.disposeAsync())

  const both = () => [steady, other].filter((peer) => peer !== undefined)
  const reaches = (peer: NodePeer | undefined, address: string, wanted = true) =>
    eventually(
      () => peer?.host.canReach(address) ?? false,
      (isReached) => isReached === wanted,
      { what: `${address} is ${wanted ? '' : 'not '}reached`, seconds: 20 },
    )
  /** The device of the node comes to have these peers and no others. */
  const holds = (...peers: readonly NodePeer[]) =>
    eventually(
      async () => (await world.server.run('wg', 'show', world.name, 'peers')).split('\n').sort(),
      (keys) =>
        keys.join() ===
        peers
          .map(({ publicKey }) => publicKey)
          .toSorted()
          .join(),
      { what: 'the device has these peers', seconds: 20 },
    )
  const denied = (from: NodePeer | undefined, to: NodePeer | undefined, number = 1) => ({
    id: `rule-${number}`,
    number,
    from: { kind: 'peer' as const, id: from?.id ?? '' },
    to: { kind: 'peer' as const, id: to?.id ?? '' },
    protocol: 'any' as const,
    ports: [],
    action: 'deny' as const,
  })
  const limited = (peer: NodePeer, change: { down?: number; isStopped?: boolean }) => ({
    id: peer.id,
    interface: world.name,
    addresses: [peer.address] as [string],
    networks: [],
    down: change.down ?? null,
    up: null,
    isStopped: change.isStopped ?? false,
  })

  test(
    'runs the interfaces that the service wants, and reports them; keys are for its owner alone',
    { skip },
    async () => {
      const { interfaces } = await world.inForce()
      assert.deepEqual(interfaces, [{ name: world.name, status: 'up', reason: null }])
      for (const peer of both()) await reaches(peer, gateway)
      await reaches(steady, other?.address ?? '')
      assert.equal(((await stat(world.dataFile('state.json'))).mode & 0o777).toString(8), '600')
      const { stdout } = await world.command('status')
      assert.match(stdout, /^node Berlin of https:\/\/198\.51\.100\.9:8110\nlast contact: 20\d\d-/)
      assert.match(stdout, new RegExp(`^${world.name}: 2 peers, port 51820, 10\\.79\\.0\\.1/16$`, 'm'))
      assert.match((await world.command('leave')).stderr, /is in use by another running/)
    },
  )

  test(
    'loses no packet while the service is away, and while its own program is killed and started',
    { skip },
    async () => {
      assert.ok(steady !== undefined)
      const ping = startPing(steady.host, gateway)
      await world.service.end('SIGTERM')
      await eventually(
        () => world.node.output,
        (text) => /ECONNREFUSED/.test(text),
        { what: 'a report that fails', seconds: 60 },
      )
      for (let round = 0; round < 3; round += 1) {
        await world.node.end('SIGKILL')
        await world.node.start()
        await eventually(
          () => world.node.output.split('is in force').length,
          (starts) => starts >= round + 3,
          { what: 'the state on the disk is in force', seconds: 30 },
        )
      }
      await world.service.start()
      const seen = (await world.reports()).length
      await eventually(
        () => world.reports(),
        (reports) => reports.length > seen,
        { what: 'the next report', seconds: 60 },
      )
      const { lost, sent, slowest } = await ping.stop()
      console.log(`service away, 3 kills: ${sent} echoes, slowest ${slowest} ms`)
      assert.deepEqual(lost, [])
    },
  )

  test(
    'loses no packet of others during 50 changes of peers, limits, isolation and access rules',
    { skip },
    async () => {
      assert.ok(steady !== undefined && other !== undefined)
      const handshake = () => world.server.run('wg', 'show', world.name, 'latest-handshakes')
      const shaken = (await handshake()).split('\n').find((line) => line.startsWith(steady?.publicKey ?? ''))
      const ping = startPing(steady.host, gateway)
      const through = startPing(steady.host, other.address)
      const more: { id: string; publicKey: string; address: string }[] = []
      for (let round = 0; round < 50; round += 1) {
        if (round % 3 === 2) more.shift()
        else {
          const { publicKey } = generateKeyPair()
          more.push({ id: `more-${round}`, publicKey, address: `10.79.1.${round + 1}` })
        }
        const [first] = more
        await world.want({
          peers: [...both(), ...more],
          limits:
            first === undefined
              ? []
              : [{ ...limited(steady, { down: 1000 + round }), id: first.id, addresses: [first.address] }],
          rules: round % 2 === 0 ? [] : more.map((peer, index) => denied(peer as NodePeer, steady, index + 1)),
          isolated: round % 5 === 0 && first !== undefined ? [first.address] : [],
        })
        await eventually(
          () => readFile(world.dataFile('state.json'), 'utf8'),
          (text) => more.every(({ publicKey }) => text.includes(publicKey)),
        )
      }
      await world.inForce()
      const held = await world.server.run('wg', 'show', world.name, 'peers')
      assert.deepEqual(new Set(held.split('\n')), new Set([...both(), ...more].map(({ publicKey }) => publicKey)))
      const reports = [await ping.stop(), await through.stop()]
      console.log(
        `50 changes: ${reports.map(({ sent, slowest }) => `${sent} echoes, slowest ${slowest} ms`).join('; ')}`,
      )
      assert.deepEqual(
        reports.map(({ lost }) => lost),
        [[], []],
      )
      assert.ok((await handshake()).includes(shaken ?? '-'), 'the session is the same')
    },
  )

  test(
    'a peer that the state has no more loses its tunnel, and access rules and limits hold for packets',
    { skip },
    async () => {
      assert.ok(steady !== undefined && other !== undefined)
      await world.want({ peers: both(), rules: [denied(steady, other)] })
      await reaches(steady, other.address, false)
      await reaches(steady, gateway)
      await reaches(other, steady.address)
      await world.want({ peers: both(), limits: [limited(other, { isStopped: true })] })
      await reaches(other, gateway, false)
      await reaches(steady, gateway)
      await world.want({ peers: both(), isolated: [other.address] })
      await reaches(other, gateway)
      await reaches(steady, other.address, false)

      const child = world.server.start(process.execPath, streamProgram, 'serve', gateway)
      const port = (await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve))).toString().trim()
      await world.want({ peers: both(), limits: [limited(other, { down: 1_000_000 })] })
      await world.inForce()
      const rate = Number(await other.host.run(process.execPath, streamProgram, 'down', gateway, port))
      assert.ok(rate <= 8 * 1.25, `${rate} Mbit/s of 8`)

      await world.want({ peers: [steady] })
      await reaches(other, gateway, false)
      assert.equal(await world.server.run('wg', 'show', world.name, 'peers'), steady.publicKey)
      await world.want({ peers: both() })
      await holds(...both())
    },
  )

  test('what devices counted is reported once, over a crash and while the service is away', { skip }, async () => {
    assert.ok(steady !== undefined)
    await world.service.end('SIGTERM')
    await steady.host.run('ping', '-q', '-c', '20', '-i', '0.02', '-s', '1200', gateway)
    await world.node.end('SIGKILL')
    await steady.host.run('ping', '-q', '-c', '20', '-i', '0.02', '-s', '1200', gateway)
    await world.node.start()
    await world.service.start()
    const wanted = async () => [await world.counted(steady as NodePeer), await world.transferred(steady as NodePeer)]
    await eventually(wanted, ([counted, transferred]) => JSON.stringify(counted) === JSON.stringify(transferred), {
      what: 'the service counted what the device did',
      seconds: 120,
    })
    assert.ok((await world.counted(steady)).rx > 40 * 1200)
  })

  test('repairs what another program changes', { skip }, async () => {
    await world.server.run('nft', 'delete', 'table', 'inet', 'hearth_node')
    await eventually(
      () => world.server.run('nft', 'list', 'tables'),
      (tables) => tables.includes('inet hearth_node\n') || tables.endsWith('inet hearth_node'),
    )
    await world.server.run('wg', 'set', world.name, 'peer', other?.publicKey ?? '', 'remove')
    await holds(...both())
  })

  test(
    'a state that this version does not understand is reported, and the one before stays in force',
    { skip },
    async () => {
      const state = JSON.parse(await readFile(world.dataFile('state.json'), 'utf8')).state
      const [first] = state.interfaces
      const revision = await world.wantState({
        ...state,
        interfaces: [{ ...first, config: { ...first.config, mtu: 'large' } }],
      })
      const report = await eventually(
        async () => (await world.reports()).at(-1),
        (last) => last?.interfaces?.[0]?.status === 'error',
      )
      assert.notEqual(report?.revision, revision)
      assert.match(report?.interfaces?.[0]?.reason ?? '', /does not understand \(interfaces\.0\.config\.mtu/)
      await reaches(steady, gateway)
      await world.want({ peers: both() })
      await world.inForce()
    },
  )

  test('a damaged state changes nothing on the host, and is replaced when the service answers', { skip }, async () => {
    assert.ok(steady !== undefined)
    const ping = startPing(steady.host, gateway)
    await world.service.end('SIGTERM')
    await world.node.end('SIGKILL')
    const file = world.dataFile('state.json')
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, 100))
    await world.node.start()
    await eventually(
      () => world.node.output,
      (text) => text.includes('state.json is damaged'),
    )
    await world.service.start()
    await eventually(
      () => readFile(file, 'utf8'),
      (text) => text.includes(steady?.publicKey ?? ''),
      { what: 'the state is there again', seconds: 60 },
    )
    await world.inForce()
    assert.deepEqual((await ping.stop()).lost, [])
  })

  test('a node that was removed goes on until it leaves; then nothing of it is left', { skip }, async () => {
    assert.ok(steady !== undefined)
    const ping = startPing(steady.host, gateway)
    await world.remove()
    await world.node.end('SIGTERM')
    await world.node.start()
    await eventually(
      () => world.node.output,
      (text) => text.includes('or it was removed; what runs goes on'),
      { what: 'the refusal is logged', seconds: 60 },
    )
    await reaches(steady, gateway)
    await world.node.end('SIGTERM')
    assert.deepEqual((await ping.stop()).lost, [])
    const left = await world.command('leave')
    assert.equal(left.code, 0, left.stderr)
    assert.match(left.stderr, new RegExp(`${world.name} is down\nthe firewall tables are removed\ndeleted in`))
    assert.ok(!(await world.server.run('ip', 'link')).includes(world.name))
    assert.equal((await world.server.run('nft', 'list', 'tables')).trim(), '')
    for (const name of ['state.json', 'traffic.json', 'node.json', 'last-contact'])
      assert.equal(existsSync(world.dataFile(name)), false, name)
    assert.match((await world.command('leave')).stderr, /this host is no node/)
    assert.match((await world.command('run')).stderr, /this host is no node yet/)
  })
})
