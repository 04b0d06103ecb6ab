import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import type { Asked } from './dns-asker.ts'
import { dig, startProgram, updateLists } from './dns-world.ts'
import { addressOf } from './fake-nameserver.ts'
import { createHostedService, type HostedService } from './hosted-service.ts'
import { type JoinedNode, joinNode, withOwnSockets } from './joined-node.ts'
import { createHost, createNetwork, type NetworkHost, tunnelsObstacle, uniqueName } from './network-hosts.ts'
import { startHearth } from './node-world.ts'
import { createWgQuickClient, giveResolvers } from './wg-quick-client.ts'

const obstacle = await tunnelsObstacle()
/** Said of each test, so that each is reported. */
const skip = obstacle ?? false
const [control, nodeAddress, internetAddress] = ['192.0.2.9', '192.0.2.1', '192.0.2.53']
const gateway = '10.83.0.1'

const fine = (name: string) => ['NOERROR', `A ${addressOf(name)}`]
const blocked = ['NOERROR', 'A 0.0.0.0', 'EDE 15']
/** Nobody is there, or says nothing. */
const isUnanswered = ([what]: readonly string[]) => what === 'TIMEOUT' || what === 'NO ANSWER'

/** The process of the resolver on a host; undefined when there is none. */
async function resolverOn(host: NetworkHost): Promise<number | undefined> {
  for (const pid of (await host.run('ip', 'netns', 'pids', host.name)).split('\n')) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command.startsWith('hearth-vpn resolver')) return Number(pid)
  }
  return undefined
}

/** A device with a tunnel. */
interface Device {
  readonly id: string
  readonly host: NetworkHost
  /** Name of its tunnel. */
  readonly device: string
}

describe('DNS on a node', () => {
  const hosts = new AsyncDisposableStack()
  const [name, other] = [uniqueName('wgd'), uniqueName('wgo')]
  let folder = ''
  let service: HostedService
  let berlin: JoinedNode
  let internet: NetworkHost
  let addHost: (label: string) => Promise<NetworkHost>
  let phone: Device
  let laptop: Device
  let foreigner: Device
  let listId = ''

  before(async () => {
    if (obstacle !== null) return
    ;({ path: folder } = hosts.use(await temporaryDirectory('nodes-dns')))
    const network = hosts.use(await createNetwork('lan'))
    let last = 20
    addHost = async (label) => {
      const host = hosts.use(await createHost(label))
      const fixed: Record<string, string> = { control, berlin: nodeAddress, internet: internetAddress }
      last += 1
      await network.attach(host, `${fixed[label] ?? `192.0.2.${last}`}/24`)
      return host
    }
    internet = await addHost('internet')
    await startProgram(internet, 'fake-nameserver.ts', internetAddress, '53', '{}')
    const lists = { ads: '||ads.example^\n@@||good.ads.example^\nalways.blocked.example\n' }
    await startProgram(internet, 'list-server.ts', internetAddress, '8080', JSON.stringify(lists))
    service = await createHostedService(withOwnSockets(await addHost('control')), folder, {
      PUBLIC_ENDPOINT: control,
      VPN_NODES_LISTEN: `${control}:8110`,
      DNS_UPSTREAMS: `udp://${internetAddress}`,
      OUTBOUND_ALLOW: internetAddress,
    })
    await service.start()
    for (const list of await service.done('GET', '/api/dns/blocklists'))
      if (list.enabled) await service.done('PUT', `/api/dns/blocklists/${list.id}`, { enabled: false })
    const url = `http://${internetAddress}:8080/ads`
    ;({ id: listId } = await service.done('POST', '/api/dns/blocklists', { name: 'ads', url }))
    await updateLists({ service })
    berlin = await joinNode(service, await addHost('berlin'), { label: 'Berlin', endpoint: nodeAddress, folder })
    const on = { node_id: berlin.id }
    await service.done('POST', '/api/interfaces', { ...on, name, address: `${gateway}/16`, listen_port: 51_821 })
    const elsewhere = { address: '10.84.0.1/16', listen_port: 51_822, dns: internetAddress }
    await service.done('POST', '/api/interfaces', { ...on, name: other, ...elsewhere })
    phone = await connect('phone', name)
    laptop = await connect('laptop', name)
    foreigner = await connect('foreigner', other)
  })
  after(() => hosts.disposeAsync())

  async function connect(label: string, on: string): Promise<Device> {
    const host = await addHost(label)
    hosts.use(await giveResolvers(host, `nameserver ${internetAddress}`))
    const { id } = await service.done('POST', '/api/peers', { name: label, interface: on })
    const text: string = await service.done('GET', `/api/peers/${id}/config`)
    const client = await createWgQuickClient(host, {
      text: text.replace(/^AllowedIPs = .*$/m, 'AllowedIPs = 10.83.0.0/16, 10.84.0.0/16'),
      folder,
    })
    await client.up()
    return { id, host, device: client.name }
  }

  const ask = (device: Device, ...words: string[]) => dig(device.host, gateway, ...words)
  /** Asks until the answer is this one: what was changed here is on its way to the node. */
  const answers = (device: Device, words: readonly string[], wanted: readonly string[]) =>
    eventually(
      () => dig(device.host, gateway, '+time=1', ...words),
      (answer) => answer.join() === wanted.join(),
      { what: `${words.join(' ')} is ${wanted.join(' ')}`, seconds: 60, everyMs: 100 },
    )
  /** Asks for many names while something else happens. */
  const askWhile = async (seconds: number, work: () => Promise<void>): Promise<Asked> => {
    const asker = join(import.meta.dirname, 'dns-asker.ts')
    const asking = phone.host.run(process.execPath, asker, gateway, String(20 * seconds), '20')
    await work()
    return JSON.parse(await asking) as Asked
  }

  test('a device’s file names the gateway on the node, which answers, blocks and knows names', { skip }, async () => {
    const text: string = await service.done('GET', `/api/peers/${phone.id}/config`)
    assert.match(text, /^DNS = 10\.83\.0\.1$/m)
    await answers(phone, ['www.example'], fine('www.example'))
    await answers(phone, ['ads.example'], blocked)
    assert.deepEqual(await ask(phone, 'deep.ads.example', '+tcp'), blocked)
    assert.deepEqual(await ask(phone, 'good.ads.example'), fine('good.ads.example'))
    const record = { name: 'nas.example', type: 'A', value: '10.1.2.3' }
    await service.done('POST', '/api/dns/records', record)
    await answers(phone, ['nas.example'], ['NOERROR', 'A 10.1.2.3'])
    const { peer_names_suffix: suffix } = await service.done('GET', '/api/dns/settings')
    const { ip: own } = await service.done('GET', `/api/peers/${laptop.id}`)
    const { ip: elsewhere } = await service.done('GET', `/api/peers/${foreigner.id}`)
    await answers(phone, [`laptop.${suffix}`], ['NOERROR', `A ${own}`])
    await answers(phone, [`foreigner.${suffix}`], ['NOERROR', `A ${elsewhere}`])
  })

  test(
    'a rule, the filter of a device and a switched-off list are in force there a moment later',
    { skip },
    async () => {
      await answers(phone, ['games.example'], fine('games.example'))
      const rule = { action: 'block', domain: 'games.example', client: phone.id }
      const { id } = await service.done('POST', '/api/dns/rules', rule)
      await answers(phone, ['games.example'], blocked)
      assert.deepEqual(await ask(laptop, 'games.example'), fine('games.example'))
      const query = `/api/dns/explain?domain=games.example&client=${phone.id}`
      assert.equal((await service.done('GET', query)).status, 'blocked')
      await service.done('DELETE', `/api/dns/rules/${id}`)
      await answers(phone, ['games.example'], fine('games.example'))
      await service.done('PUT', `/api/peers/${laptop.id}`, { use_adblocker: false })
      await answers(laptop, ['ads.example'], fine('ads.example'))
      await service.done('PUT', `/api/peers/${laptop.id}`, { use_adblocker: true })
      await service.done('PUT', `/api/dns/blocklists/${listId}`, { enabled: false })
      await answers(phone, ['ads.example'], fine('ads.example'))
      await service.done('PUT', `/api/dns/blocklists/${listId}`, { enabled: true })
      await answers(phone, ['ads.example'], blocked)
    },
  )

  /** Names that the log has of a device, the newest first. */
  const logged = async (device: Device, part = ''): Promise<string[]> => {
    const query = `client=${device.id}&domain=${part}`
    const { text } = await service.call('GET', `/api/dns/queries/export?${query}`)
    return text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[3] ?? '')
  }

  test(
    'queries on the node are in the log of the service, by its settings and those of the device',
    { skip },
    async () => {
      await ask(laptop, 'seen.example')
      await eventually(
        () => logged(laptop, 'seen'),
        (names) => names.length === 1,
        { what: 'the query', seconds: 30 },
      )
      const [query] = await service.done('GET', `/api/dns/queries?domain=ads.example&status=blocked`)
      assert.deepEqual([query.client, query.reason, query.list], ['phone', 'list', 'ads'])
      await service.done('PUT', `/api/peers/${laptop.id}`, { dns_logging_enabled: false })
      await service.done('POST', '/api/dns/rules', { action: 'block', domain: 'quiet.example', client: laptop.id })
      await answers(laptop, ['quiet.example'], blocked)
      await ask(laptop, 'silent.example')
      await ask(phone, 'loud.example')
      await eventually(
        () => logged(phone, 'loud'),
        (names) => names.length === 1,
        { what: 'the query', seconds: 30 },
      )
      assert.deepEqual(await logged(laptop, 'silent'), [], 'nothing is logged of this device')
      await service.done('PUT', `/api/peers/${laptop.id}`, { dns_logging_enabled: true })
      await service.done('PUT', '/api/dns/settings', { anonymize_clients: true })
      const nobodys = async () => (await service.done('GET', '/api/dns/queries?domain=whose.example')) as unknown[]
      await eventually(
        async () => {
          await ask(phone, 'whose.example')
          return (await service.done('GET', '/api/dns/queries?domain=whose.example'))[0]?.client
        },
        (client) => client === null,
        { what: 'queries of nobody', seconds: 30, everyMs: 500 },
      )
      assert.ok((await nobodys()).length > 0)
      await service.done('PUT', '/api/dns/settings', { anonymize_clients: false })
      await eventually(
        async () => {
          await ask(phone, 'named.example')
          return (await logged(phone, 'named')).length
        },
        (count) => count > 0,
        { what: 'queries of the phone again', seconds: 30, everyMs: 500 },
      )
    },
  )

  test('only peers of interfaces that use it get answers', { skip }, async () => {
    assert.ok(isUnanswered(await dig(foreigner.host, gateway, '+time=1', 'www.example')))
    assert.ok(isUnanswered(await dig(foreigner.host, '10.84.0.1', '+time=1', 'www.example')))
    await internet.run('ip', 'route', 'add', `${gateway}/32`, 'via', nodeAddress)
    assert.ok(isUnanswered(await dig(internet, gateway, '+time=1', 'www.example')))
    assert.ok(isUnanswered(await dig(internet, nodeAddress, '+time=1', 'www.example')))
  })

  test('no query is lost while the service is killed and started, and changes arrive after', { skip }, async () => {
    const asked = await askWhile(10, async () => {
      await service.kill()
      await service.start()
      await service.done('POST', '/api/dns/rules', { action: 'block', domain: 'late.example' })
    })
    assert.deepEqual(asked, { sent: 200, answered: 200, blocked: 40, wrong: 0 })
    await eventually(
      async () => (await logged(phone, '.fine.example')).length,
      (count) => count >= 160,
      { what: 'all queries are in the log', seconds: 60, everyMs: 500 },
    )
    const names = await logged(phone, '.fine.example')
    assert.deepEqual([names.length, new Set(names).size], [160, 160], 'each once')
    await answers(phone, ['late.example'], blocked)
  })

  test('a node that is killed answers from its disk after its start, without the service', { skip }, async () => {
    await service.stop()
    await berlin.program.end('SIGKILL')
    assert.ok(isUnanswered(await ask(phone, '+time=1', 'www.example')))
    await berlin.program.start()
    await answers(phone, ['ads.example'], blocked)
    await answers(phone, ['late.example'], blocked)
    assert.deepEqual(await ask(phone, 'www.example'), fine('www.example'))
    await service.start()
  })

  test('files that are damaged on the node are fetched again', { skip }, async () => {
    const dns = join(berlin.folder, 'data/dns')
    await berlin.program.end('SIGTERM')
    const [list] = await readdir(join(dns, 'lists'))
    await writeFile(join(dns, 'lists', list ?? ''), 'nothing.example\n')
    const rules = await readFile(join(dns, 'rules.json'), 'utf8')
    await writeFile(join(dns, 'rules.json'), rules.slice(0, 40))
    await berlin.program.start()
    await answers(phone, ['late.example'], blocked)
    await answers(phone, ['ads.example'], blocked)
    await eventually(
      () => readFile(join(dns, 'rules.json'), 'utf8'),
      (text) => text === rules,
      { what: 'the rules as they were', seconds: 30 },
    )
  })

  test('a resolver that is killed is started again, and the node says how it is', { skip }, async () => {
    const pid = await resolverOn(berlin.host)
    assert.ok(pid !== undefined)
    process.kill(pid, 'SIGKILL')
    await answers(phone, ['ads.example'], blocked)
    assert.notEqual(await resolverOn(berlin.host), pid)
    await eventually(
      async () => (await service.done('GET', '/api/nodes')).nodes[0].dns,
      (dns) => dns?.status === 'running' && dns.restarts === 1 && dns.lists === 1 && dns.blocked_names === 3,
      { what: 'the state of the resolver', seconds: 60, everyMs: 500 },
    )
  })

  test('an interface that moves takes its resolver along, and names go on where it runs', { skip }, async () => {
    const { public_key: key } = await service.done('GET', `/api/interfaces/${name}`)
    const pointTo = (endpoint: string) =>
      phone.host.run('wg', 'set', phone.device, 'peer', key, 'endpoint', `${endpoint}:51821`)
    await service.done('PUT', `/api/interfaces/${name}`, { node_id: null })
    await pointTo(control)
    await answers(phone, ['ads.example'], blocked)
    await eventually(
      () => resolverOn(berlin.host),
      (pid) => pid === undefined,
      { what: 'the resolver of the node has ended', seconds: 30 },
    )
    await service.done('PUT', `/api/interfaces/${name}`, { node_id: berlin.id })
    await pointTo(nodeAddress)
    await answers(phone, ['ads.example'], blocked)
    assert.ok((await resolverOn(berlin.host)) !== undefined)
    const status = await startHearth(berlin.host, berlin.folder, 'status')
    assert.match(status.stdout, /^DNS: answers from the files in dns, block lists: 1$/m)
  })

  test('an interface with DNS servers of its own needs no resolver, which ends', { skip }, async () => {
    await service.done('PUT', `/api/interfaces/${name}`, { dns: internetAddress })
    await eventually(
      () => resolverOn(berlin.host),
      (pid) => pid === undefined,
      { what: 'the resolver of the node has ended', seconds: 30 },
    )
    const { stdout } = await startHearth(berlin.host, berlin.folder, 'status')
    assert.match(stdout, /^DNS: nothing to answer$/m)
    assert.ok((await readdir(join(berlin.folder, 'data/dns'))).includes('lists.bin'), 'it is used by the next start')
    await eventually(
      async () => (await service.done('GET', '/api/nodes')).nodes[0].dns?.status,
      (status) => status === 'off',
      { what: 'the resolver is off', seconds: 60, everyMs: 500 },
    )
    assert.ok(isUnanswered(await ask(phone, '+time=1', 'www.example')))
  })

  test('a host that leaves keeps nothing of it', { skip }, async () => {
    await service.done('PUT', `/api/interfaces/${name}`, { dns: '' })
    await answers(phone, ['ads.example'], blocked)
    await berlin.program.end('SIGTERM')
    assert.ok((await readdir(join(berlin.folder, 'data'))).includes('dns'), 'a stop deletes nothing')
    const left = await startHearth(berlin.host, berlin.folder, 'leave')
    assert.equal(left.exitCode, 0, left.stderr)
    assert.ok(!(await readdir(join(berlin.folder, 'data'))).includes('dns'))
    assert.equal(await resolverOn(berlin.host), undefined)
  })
})
