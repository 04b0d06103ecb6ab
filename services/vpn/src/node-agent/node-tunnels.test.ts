import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createLog, systemTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import * as fc from 'fast-check'
import { Decider } from '../access-rules/policy/decide.ts'
import type { Policy } from '../access-rules/policy/policy.ts'
import type { AccessTable } from '../access-rules/policy/table.ts'
import { NodeState, policyOfNode } from '../nodes/node-state.ts'
import { DeviceError, type DeviceConfig, type PeerState, type WireGuardDriver } from '../wireguard/device.ts'
import { createSimulatedFirewall, type Firewall, type InterfaceRules } from '../wireguard/firewall.ts'
import { generateKeyPair, publicKeyOf } from '../wireguard/keys.ts'
import { createSimulatedLimitTable, type LimitTable } from '../wireguard/limit-table.ts'
import type { PeerLimit } from '../wireguard/limit-text.ts'
import { applyToModel } from '../wireguard/simulated-driver.ts'
import { NodeTunnels, type NodeTunnelsDependencies } from './node-tunnels.ts'

const peers = Array.from({ length: 4 }, (_, index) => ({ id: `peer-${index}`, ...generateKeyPair() }))
const interfaceAt = (index: number) => {
  const [network, gateway] = [`10.${index + 8}.0.0/24`, `10.${index + 8}.0.1`]
  return { name: `wg${index}`, ...generateKeyPair(), network, gateway }
}
const interfaces = [interfaceAt(0), interfaceAt(1)]

/** What a host does with packets, as far as a node decides it. */
class FakeHost {
  readonly devices = new Map<string, { config: DeviceConfig; peers: Map<string, PeerState> }>()
  rules: readonly InterfaceRules[] = []
  limits: readonly PeerLimit[] = []
  policy: Policy = { interfaces: [], peers: new Map(), groups: new Map(), rules: [] }
  /** Called whenever something has changed. */
  watch: () => void = () => undefined
  /** What fails. */
  readonly broken = new Set<'limits' | 'access' | 'remove'>()

  readonly #fail = (what: 'limits' | 'access' | 'remove') => {
    if (this.broken.has(what)) throw new DeviceError(`${what} is broken`)
  }

  driver(): WireGuardDriver {
    const { devices } = this
    return {
      backend: 'simulated',
      list: () => Promise.resolve([...devices.keys()]),
      isForeignLink: () => Promise.resolve(false),
      read: (name) => Promise.resolve(this.#read(name)),
      readPeer: (name, key) => Promise.resolve(devices.get(name)?.peers.get(key)),
      differences: (config) => Promise.resolve(devices.has(config.name) ? [] : ['device missing']),
      ensure: async (config) => {
        devices.set(config.name, { config, peers: devices.get(config.name)?.peers ?? new Map() })
        this.watch()
      },
      change: async (name, changes) => {
        applyToModel(devices.get(name)?.peers ?? new Map(), changes)
        this.watch()
      },
      changeRoutes: () => Promise.resolve(),
      remove: async (name) => {
        this.#fail('remove')
        devices.delete(name)
        this.watch()
      },
      close: () => Promise.resolve(),
    }
  }

  #read(name: string) {
    const device = this.devices.get(name)
    const { privateKey, listenPort } = device?.config ?? { privateKey: '', listenPort: 0 }
    return device && { publicKey: publicKeyOf(privateKey), listenPort, peers: new Map(device.peers) }
  }

  firewall(): Firewall {
    return {
      ...createSimulatedFirewall(),
      apply: async (rules) => {
        this.rules = [...rules]
        this.watch()
      },
    }
  }

  limitTable(): LimitTable {
    return {
      ...createSimulatedLimitTable(),
      replace: async (limits) => {
        this.#fail('limits')
        this.limits = [...limits]
        this.watch()
      },
    }
  }

  accessTable(): AccessTable {
    const nothing = () => Promise.resolve()
    return {
      apply: nothing,
      hasDrifted: () => Promise.resolve(false),
      repair: nothing,
      remove: nothing,
      replace: async (policy) => {
        this.#fail('access')
        this.policy = policy
        this.watch()
      },
    }
  }

  passes(packet: Packet): boolean {
    const owner = (key: string, address: string) =>
      [...this.devices.keys()].find((name) =>
        this.devices.get(name)?.peers.get(key)?.allowedIps.includes(`${address}/32`),
      )
    const [from, to] = [owner(packet.from, packet.source), owner(packet.to, packet.target)]
    if (from === undefined || to === undefined) return false
    const ends = this.rules.filter(({ name }) => name === from || name === to)
    assert.ok(ends.length > 0, 'a device with peers has its rules')
    if (ends.some(({ forwarding }) => !forwarding)) return false
    const isIsolated = (address: string) => this.rules.some(({ isolated }) => isolated.includes(address))
    if (isIsolated(packet.source) || isIsolated(packet.target)) return false
    const isStopped = (address: string) =>
      this.limits.some((limit) => limit.isStopped && limit.addresses.includes(address))
    if (isStopped(packet.source) || isStopped(packet.target)) return false
    return isAllowed(this.policy, packet)
  }
}

interface Packet {
  /** Public keys of both ends. */
  readonly from: string
  readonly to: string
  readonly source: string
  readonly target: string
}

/** Rules alone: isolation and forwarding are the firewall's. */
function isAllowed(policy: Policy, { source, target }: Packet): boolean {
  const open: Policy = {
    ...policy,
    interfaces: policy.interfaces.map((one) => Object.assign({}, one, { forwarding: true })),
    peers: new Map([...policy.peers].map(([id, peer]) => [id, Object.assign({}, peer, { isIsolated: false })])),
  }
  const decider = new Decider(open)
  const owner = decider.owner(source)
  assert.ok(owner !== undefined, `the rules know whose ${source} is`)
  return decider.decide({ from: owner.id, to: target, protocol: 'icmp' }).action === 'allow'
}

/** A packet is allowed by a state when a host that is as the state says lets it pass. */
function hostOf(state: NodeState): FakeHost {
  const host = new FakeHost()
  for (const { config, peers: members, running } of state.interfaces)
    if (running) {
      const held = new Map<string, PeerState>()
      applyToModel(
        held,
        members.map((peer) => ({ kind: 'set', peer })),
      )
      host.devices.set(config.name, { config, peers: held })
    }
  host.rules = state.interfaces.filter(({ running }) => running).map(({ rules }) => rules)
  host.limits = state.limits
  host.policy = policyOfNode(state.access)
  return host
}

/** Most peers are mostly at their place, so that states differ in what filters say of them. */
const peerChoice = (index: number) =>
  fc.record({
    at: fc.oneof(
      { weight: 6, arbitrary: fc.constant({ on: index % 2, address: index }) },
      { weight: 1, arbitrary: fc.record({ on: fc.nat(1), address: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
    isIsolated: often(false, true),
    limit: often(undefined, { isStopped: true, down: null }, { isStopped: false, down: 1000 }),
  })
/** The first value in most cases. */
const often = <T>(first: T, ...others: T[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(first) }, { weight: 1, arbitrary: fc.constantFrom(...others) })
const interfaceChoice = fc.oneof(
  { weight: 8, arbitrary: fc.constant('running') },
  { weight: 1, arbitrary: fc.constantFrom('stopped', 'absent') },
)
const ruleChoice = fc.record({ from: fc.nat(1), to: fc.integer({ min: 2, max: 3 }), action: often('deny', 'allow') })
const stateChoice = fc
  .record({
    interfaces: fc.tuple(interfaceChoice, interfaceChoice),
    forwarding: often(true, false),
    otherwise: often<'allow' | 'deny'>('allow', 'deny'),
    peers: fc.tuple(peerChoice(0), peerChoice(1), peerChoice(2), peerChoice(3)),
    rules: fc.array(ruleChoice, { maxLength: 3 }),
  })
  .map((chosen) => stateOf(chosen))

interface Chosen {
  interfaces: readonly string[]
  forwarding: boolean
  otherwise: 'allow' | 'deny'
  peers: readonly {
    at: { on: number; address: number } | undefined
    isIsolated: boolean
    limit: { isStopped: boolean; down: number | null } | undefined
  }[]
  rules: readonly { from: number; to: number; action: string }[]
}

function stateOf({ interfaces: kinds, forwarding, otherwise, peers: choices, rules }: Chosen): NodeState {
  const taken = new Set<string>()
  const placed = choices.flatMap(({ at, isIsolated, limit }, index) => {
    const peer = peers[index]
    const on = at && interfaces[at.on]
    const address = `${on?.network.replace(/0\/24$/, '')}${(at?.address ?? 0) + 2}`
    const isFree = peer !== undefined && on !== undefined && kinds[at?.on ?? 0] === 'running' && !taken.has(address)
    taken.add(address)
    return isFree ? [{ ...peer, on: on.name, address, isIsolated, limit }] : []
  })
  const here = interfaces.filter((_, index) => kinds[index] !== 'absent')
  return NodeState.parse({
    interfaces: here.map(({ name, privateKey, network, gateway }, index) => ({
      config: { name, privateKey, listenPort: 51_820 + index, addresses: [`${gateway}/24`], mtu: 1420, routes: [] },
      peers: placed
        .filter(({ on }) => on === name)
        .map(({ publicKey, address }) => ({ publicKey, presharedKey: null, allowedIps: [`${address}/32`] })),
      rules: {
        name,
        subnets: [network],
        networks: [],
        nat: false,
        forwarding,
        isolated: placed.filter(({ on, isIsolated }) => on === name && isIsolated).map(({ address }) => address),
      },
      running: kinds[interfaces.findIndex((one) => one.name === name)] === 'running',
    })),
    limits: placed.flatMap(({ id, on, address, limit }) =>
      limit === undefined ? [] : [{ id, interface: on, addresses: [address], networks: [], up: null, ...limit }],
    ),
    access: {
      interfaces: here.map(({ name, network, gateway }) => ({
        name,
        networks: [network],
        addresses: [gateway],
        resolvers: [],
        forwarding,
        otherwise,
      })),
      peers: placed.map(({ id, on, address, isIsolated }) => ({
        id,
        interface: on,
        addresses: [address],
        networks: [],
        tags: [],
        isIsolated,
      })),
      groups: [],
      rules: rules.map(({ from, to, action }, index) => ({
        id: `rule-${index}`,
        number: index + 1,
        from: { kind: 'peer', id: `peer-${from}` },
        to: { kind: 'peer', id: `peer-${to}` },
        protocol: 'any',
        ports: [],
        action,
      })),
    },
  })
}

/** Packets between peers with addresses that either state gives them. */
function packetsOf(states: readonly NodeState[]): Packet[] {
  const ends = states.flatMap(({ interfaces: all }) =>
    all.flatMap(({ peers: members }) =>
      members.map(({ publicKey, allowedIps: [network = ''] }) => ({ key: publicKey, address: network.split('/')[0] })),
    ),
  )
  const texts = new Set<string>()
  for (const from of ends)
    for (const to of ends)
      if (from.key !== to.key)
        texts.add(JSON.stringify({ from: from.key, to: to.key, source: from.address, target: to.address }))
  return [...texts].map((text) => JSON.parse(text) as Packet)
}

function openTunnels(
  host: FakeHost,
  errors: string[] = [],
  {
    checkEveryMs = 3_600_000,
    timers = systemTimers,
  }: Partial<Pick<NodeTunnelsDependencies, 'checkEveryMs' | 'timers'>> = {},
) {
  const counted: string[][] = []
  const log = createLog({ name: 'test', level: 'silent' })
  log.error = (entry: { reason?: string }) => void errors.push(entry.reason ?? '')
  const tunnels = new NodeTunnels({
    driver: host.driver(),
    firewall: host.firewall(),
    limitTable: host.limitTable(),
    accessTable: host.accessTable(),
    log,
    timers,
    checkEveryMs,
    countTraffic: async (names) => void counted.push([...names]),
    onChanged: () => undefined,
  })
  return { tunnels, counted }
}

const leavingOf = (before: NodeState, next: NodeState) =>
  before.interfaces.filter(({ config }) => !next.interfaces.some((one) => one.config.name === config.name))

test('on the way from one state to another no packet passes that both forbid, and each passes that both allow', async () => {
  let packets = 0
  await fc.assert(
    fc.asyncProperty(fc.array(stateChoice, { minLength: 2, maxLength: 4 }), async (states) => {
      const host = new FakeHost()
      const { tunnels } = openTunnels(host)
      let before: NodeState | undefined
      for (const next of states) {
        if (before !== undefined) {
          const [old, wanted] = [hostOf(before), hostOf(next)]
          const judged = packetsOf([before, next]).map((packet) => ({
            packet,
            allowed: [old.passes(packet), wanted.passes(packet)],
          }))
          packets += judged.length
          host.watch = () => {
            for (const { packet, allowed } of judged)
              if (allowed[0] === allowed[1]) assert.equal(host.passes(packet), allowed[0], JSON.stringify(packet))
          }
        }
        await tunnels.apply(next, before === undefined ? [] : leavingOf(before, next))
        const wanted = hostOf(next)
        host.watch = () => undefined
        for (const packet of packetsOf([...(before === undefined ? [] : [before]), next]))
          assert.equal(host.passes(packet), wanted.passes(packet), 'the new state is in force')
        assert.deepEqual(new Set(host.devices.keys()), new Set(wanted.devices.keys()))
        before = next
      }
      await tunnels.close()
    }),
    { numRuns: 300 },
  )
  assert.ok(packets > 1000)
})

const all = { interfaces: ['running', 'running'], forwarding: true, otherwise: 'allow' as const, rules: [] }
const placedAt = (on: number, address: number) => ({ at: { on, address }, isIsolated: false, limit: undefined })
const nobody = { at: undefined, isIsolated: false, limit: undefined }

test('a process that starts takes from devices what is not wanted before it opens anything', async () => {
  const before = stateOf({ ...all, peers: [placedAt(0, 1), placedAt(0, 2), placedAt(1, 1), nobody] })
  const next = stateOf({ ...all, peers: [placedAt(0, 1), nobody, nobody, nobody] })
  const host = hostOf(before)
  const { tunnels } = openTunnels(host)
  const seen: number[] = []
  const limitTable = host.policy
  host.watch = () => {
    if (host.policy !== limitTable) seen.push(host.devices.get('wg0')?.peers.size ?? 0, host.devices.size)
  }
  const withoutSecond = { ...next, interfaces: next.interfaces.slice(0, 1) }
  await tunnels.apply(withoutSecond, leavingOf(next, withoutSecond))
  assert.deepEqual([...new Set(seen)], [1])
  assert.deepEqual(tunnels.statuses(), [{ name: 'wg0', status: 'up', reason: null }])
  await tunnels.close()
})

test('when access rules cannot be written, nobody is let in for whom they are; the same state can be applied again', async () => {
  const before = stateOf({ ...all, peers: [placedAt(0, 1), placedAt(0, 2), nobody, nobody] })
  const next = stateOf({ ...all, otherwise: 'deny', peers: [placedAt(0, 1), nobody, placedAt(0, 3), nobody] })
  const host = new FakeHost()
  const { tunnels } = openTunnels(host)
  await tunnels.apply(before, [])
  for (const part of ['access', 'limits'] as const) {
    host.broken.add(part)
    await assert.rejects(tunnels.apply(next, []), new RegExp(`${part} is broken`))
    assert.deepEqual([...(host.devices.get('wg0')?.peers.keys() ?? [])], [peers[0]?.publicKey])
    host.broken.clear()
  }
  await tunnels.apply(next, [])
  assert.equal(host.devices.get('wg0')?.peers.size, 2)
  await tunnels.close()
})

test('a new key that is used while a change is broken off gets its addresses, and peers that the change took away stay away', async () => {
  const [first, second, , waiting] = peers
  assert.ok(first !== undefined && second !== undefined && waiting !== undefined)
  const state = stateOf({ ...all, peers: [placedAt(0, 1), placedAt(0, 2), nobody, nobody] })
  const before: NodeState = {
    ...state,
    interfaces: state.interfaces.map((device) => {
      if (device.config.name !== 'wg0') return device
      const added = { publicKey: waiting.publicKey, presharedKey: null, allowedIps: [] }
      const rotations = [{ from: second.publicKey, to: waiting.publicKey }]
      return Object.assign({}, device, { peers: [...device.peers, added], rotations })
    }),
  }
  const without = (device: NodeState['interfaces'][number]) =>
    Object.assign({}, device, { peers: device.peers.filter(({ publicKey }) => publicKey !== first.publicKey) })
  const next: NodeState = { ...before, interfaces: before.interfaces.map(without) }
  const host = new FakeHost()
  const { tunnels } = openTunnels(host)
  const held = () =>
    [...(host.devices.get('wg0')?.peers.values() ?? [])].map((peer) => [peer.publicKey, peer.allowedIps])
  assert.equal(tunnels.isPeerAddress('wg0', '10.8.0.3'), false)
  await tunnels.apply(before, [])
  const asked = ['10.8.0.3', '10.8.0.9', '10.8.0.1'].map((each) => tunnels.isPeerAddress('wg0', each))
  assert.deepEqual([...asked, tunnels.isPeerAddress('wg1', '10.8.0.3')], [true, false, false, false])
  const address = host.devices.get('wg0')?.peers.get(second.publicKey)?.allowedIps
  host.broken.add('access')
  await assert.rejects(tunnels.apply(next, []), /access is broken/)
  await tunnels.useKeys('wg0', [waiting.publicKey])
  assert.deepEqual(held(), [[waiting.publicKey, address]])
  host.broken.clear()
  await tunnels.apply(next, [])
  assert.deepEqual(held(), [[waiting.publicKey, address]])
  await tunnels.close()
})

test('an interface that cannot be taken down is tried again, and counters are read before peers go', async () => {
  const before = stateOf({ ...all, peers: [placedAt(0, 1), placedAt(1, 2), nobody, nobody] })
  const next = { ...before, interfaces: before.interfaces.slice(0, 1) }
  const host = new FakeHost()
  const errors: string[] = []
  const { tunnels, counted } = openTunnels(host, errors, { checkEveryMs: 5 })
  await tunnels.apply(before, [])
  counted.length = 0
  host.broken.add('remove')
  const leaving = leavingOf(before, next)
  await tunnels.apply(next, leaving)
  assert.deepEqual(errors, ['remove is broken'])
  assert.deepEqual(
    tunnels.stillRunning(leaving).map(({ config }) => config.name),
    ['wg1'],
  )
  assert.deepEqual(counted, [['wg1'], ['wg1']])
  host.broken.clear()
  await eventually(
    () => [...host.devices.keys()],
    (names) => names.length === 1,
  )
  await eventually(
    () => tunnels.stillRunning(leaving),
    (left) => left.length === 0,
  )
  await tunnels.close()
})

test('an interface that has left this node is not taken from the program that runs it now', async () => {
  const before = stateOf({ ...all, peers: [placedAt(0, 1), placedAt(1, 2), nobody, nobody] })
  const next = { ...before, interfaces: before.interfaces.slice(0, 1) }
  const host = new FakeHost()
  const { tunnels } = openTunnels(host, [], { checkEveryMs: 5 })
  await tunnels.apply(before, [])
  const moved = host.devices.get('wg1')
  assert.ok(moved !== undefined)
  await tunnels.apply(next, leavingOf(before, next))
  assert.deepEqual(tunnels.names(), ['wg0'])
  // The VPN service on the same host has it now, with its key.
  host.devices.set('wg1', moved)
  host.devices.delete('wg0')
  await eventually(
    () => host.devices.has('wg0'),
    (isBack) => isBack,
    { what: 'a check of the tunnels' },
  )
  host.devices.delete('wg0')
  await eventually(
    () => host.devices.has('wg0'),
    (isBack) => isBack,
    { what: 'another check' },
  )
  assert.equal(host.devices.get('wg1'), moved)
  await tunnels.close()
})

test('a device that another program made under the name of an interface is left alone, and reported', async () => {
  const state = stateOf({ ...all, peers: [placedAt(0, 1), placedAt(1, 2), nobody, nobody] })
  const host = new FakeHost()
  const [theirs, ours] = [generateKeyPair(), state.interfaces[0]?.config]
  assert.ok(ours !== undefined)
  const held = new Map<string, PeerState>()
  applyToModel(held, [
    { kind: 'set', peer: { publicKey: generateKeyPair().publicKey, presharedKey: null, allowedIps: ['10.9.9.9/32'] } },
  ])
  host.devices.set('wg0', { config: { ...ours, privateKey: theirs.privateKey }, peers: held })
  const { tunnels } = openTunnels(host)
  await tunnels.apply(state, [])
  const [first, second] = tunnels.statuses()
  assert.match(`${first?.status} ${first?.reason}`, /^error wg0 exists on the node already, with a key that is not/)
  assert.equal(second?.status, 'up')
  assert.equal(host.devices.get('wg0')?.peers, held)
  assert.equal(await tunnels.read('wg0'), undefined, 'nor are its peers counted')
  assert.equal((await tunnels.read('wg1'))?.peers.size, 1)
  await tunnels.apply({ ...state, interfaces: state.interfaces.slice(1) }, state.interfaces.slice(0, 1))
  assert.equal(host.devices.get('wg0')?.peers, held, 'nor is it taken down')
  await tunnels.close()
})

test('an interface whose key changes keeps its device, also when the program ended in between', async () => {
  const before = stateOf({ ...all, peers: [placedAt(0, 1), nobody, nobody, nobody] })
  const [first, ...others] = before.interfaces
  assert.ok(first !== undefined)
  const { privateKey } = generateKeyPair()
  const next = { ...before, interfaces: [{ ...first, config: { ...first.config, privateKey } }, ...others] }
  const host = new FakeHost()
  {
    const { tunnels } = openTunnels(host)
    await tunnels.apply(before, [])
    await tunnels.apply(next, [first])
    assert.equal(host.devices.get('wg0')?.config.privateKey, privateKey)
    await tunnels.close()
  }
  const crashed = hostOf(before)
  const { tunnels } = openTunnels(crashed)
  await tunnels.apply(next, [first])
  assert.equal(crashed.devices.get('wg0')?.config.privateKey, privateKey)
  assert.deepEqual(
    tunnels.statuses().map(({ status }) => status),
    ['up', 'up'],
  )
  await tunnels.close()
})

test('a peer that expires goes without a word of the service, stays away after a start, and comes back when the clock was ahead', async () => {
  const state = stateOf({ ...all, peers: [placedAt(0, 0), placedAt(1, 0), placedAt(0, 1), nobody] })
  const [kept, , short] = peers.map(({ publicKey }) => publicKey)
  const [wg0, wg1] = state.interfaces
  assert.ok(kept !== undefined && short !== undefined && wg0 !== undefined && wg1 !== undefined)
  const end = Date.UTC(2027, 0, 1)
  const network = '192.168.7.0/24'
  wg0.peers.find(({ publicKey }) => publicKey === short)?.allowedIps.push(network)
  Object.assign(wg0.rules, { networks: [network], isolated: ['10.8.0.3'] })
  wg0.expiries = [{ publicKey: short, at: end }]

  const host = new FakeHost()
  let now = end - 1000
  let wait: { readonly ms: number; readonly run: () => void } | undefined
  const timers = {
    now: () => now,
    after(ms: number, run: () => void) {
      wait = { ms, run }
      return () => (wait = undefined)
    },
  }
  const found = () => {
    const rules = host.rules.find(({ name }) => name === 'wg0')
    return [[...(host.devices.get('wg0')?.peers.keys() ?? [])].toSorted(), rules?.networks, rules?.isolated]
  }
  const [whole, without] = [
    [[kept, short].toSorted(), [network], ['10.8.0.3']],
    [[kept], [], []],
  ]
  const becomes = (wanted: unknown) => eventually(found, (one) => isDeepStrictEqual(one, wanted))

  const { tunnels, counted } = openTunnels(host, [], { timers, checkEveryMs: 30_000 })
  await tunnels.apply(state, [])
  assert.deepEqual([found(), tunnels.isPeerAddress('wg0', '10.8.0.3'), wait?.ms], [whole, true, 1000])
  now = end
  counted.length = 0
  wait?.run()
  await becomes(without)
  await eventually(
    () => tunnels.isPeerAddress('wg0', '10.8.0.3'),
    (is) => !is,
  )
  assert.deepEqual(counted[0], ['wg0'], 'what it moved until then counts')
  assert.equal(host.devices.get('wg1')?.peers.size, 1)
  await tunnels.close()

  const again = openTunnels(host, [], { timers, checkEveryMs: 30_000 })
  await again.tunnels.apply(state, [])
  assert.deepEqual(found(), without)
  assert.equal(wait?.ms, 30_000, 'the clock may be corrected')
  now = end - 60_000
  wait?.run()
  await becomes(whole)
  await again.tunnels.close()
})
