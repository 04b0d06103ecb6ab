import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { migrate, openDatabase } from '@hearth/database'
import { createLog, systemClock } from '@hearth/runtime'
import * as fc from 'fast-check'
import { stringify } from 'yaml'
import { migrations } from '../database/migrations/index.ts'
import { Problem } from '../problems.ts'
import type { Tables } from '../tables.ts'
import { AsCode } from './as-code.ts'
import { faultLines } from './describe.ts'
import { openOfflineParts } from './offline-parts.ts'
import { openTrial } from './trial.ts'
import type { Parts } from './section.ts'

const host = {
  isTaken: () => Promise.resolve(false),
  runningKey: () => Promise.resolve(undefined),
  isPortFree: () => Promise.resolve(true),
  networks: () => Promise.resolve([]),
}

/** An installation without tunnels, resolver and pages; `spoil` may break parts of it. */
async function openInstallation(spoil: (parts: Parts) => Parts = (parts) => parts) {
  const database = openDatabase<Tables>({ file: ':memory:', isTemporary: true })
  await migrate(database.query, migrations)
  const log = createLog({ name: 'test', level: 'silent' })
  const sealer = createSealer(randomBytes(32))
  const dependencies = { database, sealer, clock: systemClock, log, host, directory: '/nowhere' }
  const offline = await openOfflineParts(dependencies)
  const trial = () => openTrial(dependencies)
  const asCode = new AsCode({ parts: spoil(offline.parts), openTrial: trial, onChanged: () => undefined })
  const apply = (state: unknown, more: object = {}) =>
    asCode.apply(
      {
        text: stringify({ format: 'hearth-vpn-1', ...(state as object) }, { aliasDuplicateObjects: false }),
        dry_run: false,
        prune: true,
        new_keys: true,
        allow_host_overlap: false,
        ...more,
      },
      'test',
    )
  return {
    asCode,
    apply,
    async [Symbol.asyncDispose]() {
      await offline[Symbol.asyncDispose]()
      await database.close()
    },
  }
}

const keyOf = (number: number) => Buffer.alloc(32, number + 1).toString('base64')
const peerNames = ['a', 'b', 'c', 'd', 'e', 'f']

const drawnPeer = fc.record({
  tags: fc.subarray(['kids', 'büro', 'x y']),
  enabled: fc.boolean(),
  expires_at: fc.constantFrom(null, '2031-01-02T03:04:05Z', '2032-06-07T10:00:00+02:00'),
  limit_down: fc.constantFrom(null, 2.5, 100),
  quota: fc.constantFrom(null, { bytes: 2_000_000 }, { bytes: 3_000_000, at_limit: 'slow', slow_to: 1 }),
  routing: fc.constantFrom(
    { routing_mode: 'full_tunnel' },
    { routing_mode: 'custom', allowed_ips: ['10.1.2.3', '192.168.0.7/24'] },
  ),
  preshared_key: fc.boolean(),
  blocklists: fc.constantFrom(null, [], ['Ads']),
})

/** Wanted states in which each peer may have any name, address and network, and rules name some of them. */
const drawnState = fc
  .record({
    keys: fc.shuffledSubarray([0, 1, 2, 3, 4, 5]),
    names: fc.shuffledSubarray(peerNames, { minLength: peerNames.length }),
    ips: fc.shuffledSubarray([2, 3, 4, 5, 6, 7], { minLength: 6 }),
    networks: fc.shuffledSubarray(['10.50.0.0/16', '10.51.0.0/16', null, null, null, null], { minLength: 6 }),
    peers: fc.array(drawnPeer, { minLength: 6, maxLength: 6 }),
    interfaceMembers: fc.record({ mtu: fc.constantFrom(1280, 1420), nat: fc.boolean(), enabled: fc.boolean() }),
    rules: fc.shuffledSubarray(['internet', 'gateway', '10.9.9.0/24', 'group']),
    actions: fc.array(fc.constantFrom('allow', 'deny'), { minLength: 4, maxLength: 4 }),
    domains: fc.subarray(['ads.example', '*.ads.example', 'Ünï.example']),
    addresses: fc.subarray(['192.168.1.5', '192.168.1.6', '192.168.1.7']),
    ttl: fc.constantFrom(60, 300),
    closed: fc.constantFrom('allow', 'deny'),
    blockMode: fc.constantFrom('nxdomain', 'zero_ip'),
    profiles: fc.shuffledSubarray(['Kids', 'Büro', 'Night']),
  })
  .map(stateOf)

// oxlint-disable-next-line typescript/no-explicit-any -- what is drawn is described right above
function stateOf(drawn: any): Record<string, unknown> {
  const named = drawn.keys.map((_: number, index: number) => drawn.names[index] as string)
  const peers = drawn.keys.map((key: number, index: number) => {
    const { routing, ...peer } = drawn.peers[index]
    const network = drawn.networks[index] as string | null
    return [
      named[index],
      {
        interface: 'home',
        ip: `10.8.0.${drawn.ips[index]}`,
        ipv6: null,
        public_key: keyOf(key),
        persistent_keepalive: 25,
        ...peer,
        ...routing,
        networks: network === null ? [] : [network],
      },
    ]
  })
  const rules = drawn.rules.map((to: string, index: number) => ({
    from: named[index] === undefined ? 'everybody' : { peer: named[index] },
    to: to === 'group' ? { group: 'Some' } : to.includes('/') ? { network: to } : to,
    action: drawn.actions[index],
  }))
  return {
    settings: { expiry_warning_days: drawn.ttl },
    interfaces: {
      home: { address: '10.8.0.1/24', listen_port: 51_820, dns: '', ...drawn.interfaceMembers },
      spare: { address: '10.9.0.1/24', listen_port: 51_821, dns: '1.1.1.1', mtu: 1420 },
    },
    dns_lists: { Ads: { url: 'https://lists.example/ads' } },
    peers: Object.fromEntries(peers),
    access_groups: { Some: { peers: named.slice(0, 2), tags: ['kids'] } },
    access_rules: rules,
    access_defaults: { home: drawn.closed },
    dns_settings: { block_mode: drawn.blockMode },
    dns_profiles: profilesOf(drawn.profiles, named),
    dns_rules: drawn.domains.map((domain: string, index: number) => ({
      domain,
      action: drawn.actions[index] === 'allow' ? 'allow' : 'block',
      client: named[index] ?? null,
    })),
    dns_records: drawn.addresses.map((value: string) => ({ name: 'NAS.example', type: 'A', value, ttl: drawn.ttl })),
    dns_zones: drawn.domains.length > 1 ? { 'corp.example': { servers: ['udp://10.0.0.53'] } } : {},
  }
}

/** Profiles of which each holds when the one before does not; peers and group go round. */
function profilesOf(names: readonly string[], peers: readonly string[]): Record<string, unknown> {
  const times = [{ days: ['sat', 'mon'], from: '22:00', to: '06:00' }]
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        lists: index === 0 ? ['Ads'] : null,
        rules: [{ action: 'block', domain: `*.${'Ünï.'.repeat(index)}example` }],
        services: ['youtube', 'discord'].slice(index),
        block_mode: index === 1 ? 'refused' : null,
        schedule: index === 2 ? null : { times, otherwise: names[index + 1] ?? null },
        peers: peers.filter((_, at) => at % names.length === index),
        groups: index === names.length - 1 ? ['Some'] : [],
        interfaces: index === 0 ? ['home'] : [],
      },
    ]),
  )
}

/** The export without the keys that each installation makes for itself. */
const withoutOwnKeys = (text: string) =>
  text.replaceAll(/(listen_port: \d+\n(?: {4}.*\n)*? {4}public_key: ).*/g, '$1own')

test('from any state to any other: after an apply everything is exactly as the file says', async () => {
  const property = fc.asyncProperty(drawnState, drawnState, async (first, second) => {
    await using installation = await openInstallation()
    await using fresh = await openInstallation()
    await installation.apply(first)
    await installation.apply(second)
    await fresh.apply(second)
    const text = await installation.asCode.export()
    assert.equal(withoutOwnKeys(text), withoutOwnKeys(await fresh.asCode.export()))
    assert.deepEqual((await installation.apply(second)).changes, [])
    // What was exported is what is there.
    const again = await installation.asCode.apply(
      { text, dry_run: false, prune: true, new_keys: false, allow_host_overlap: false },
      'test',
    )
    assert.deepEqual([again.changes, again.not_in_file], [[], []])
  })
  await fc.assert(property, { numRuns: 12, endOnFailure: true })
})

const twoPeers = {
  interfaces: { home: { address: '10.8.0.1/24', listen_port: 51_820 } },
  peers: { a: { interface: 'home' }, b: { interface: 'home' } },
  dns_records: [{ name: 'nas.example', type: 'A', value: '192.168.1.5' }],
}

test('a failure in the middle says what was done, and a second apply finishes', async () => {
  let isBroken = true
  await using installation = await openInstallation((parts) => {
    const { peers } = parts
    const createMany: typeof peers.createMany = (inputs, options) =>
      isBroken
        ? Promise.reject(new Problem('tunnel-failed', 'The tunnel refused the change'))
        : peers.createMany(inputs, options)
    return {
      ...parts,
      peers: { createMany, alterMany: peers.alterMany.bind(peers), changeMany: peers.changeMany.bind(peers) },
    }
  })
  const failed = await installation.apply(twoPeers).then(
    () => assert.fail('it was done'),
    (error: unknown) => error as Problem,
  )
  assert.equal(failed.kind, 'conflict')
  assert.match(
    failed.message,
    /The tunnel refused the change; 1 change was done before that, 3 changes were not; apply again to finish/,
  )
  const done = failed.details?.['done'] as { action: string; noun: string; name: string }[]
  assert.deepEqual(
    done.map(({ action, noun, name }) => `${action} ${noun} ${name}`),
    ['create interface home'],
  )
  const left = failed.details?.['not_done'] as typeof done
  assert.deepEqual(
    left.map(({ action, noun, name }) => `${action} ${noun} ${name}`),
    ['create peer a', 'create peer b', 'create record nas.example A 192.168.1.5'],
  )
  assert.deepEqual(faultLines('vpn.yaml', failed).split('\n').slice(1), [
    'was done: + interface home',
    'was not done: + peer a',
    'was not done: + peer b',
    'was not done: + record nas.example A 192.168.1.5',
    'apply again to finish',
  ])
  assert.match(await installation.asCode.export(), /^peers: \{\}$/m)
  isBroken = false
  const finished = await installation.apply(twoPeers)
  assert.deepEqual(
    finished.changes.map(({ name }) => name),
    ['a', 'b', 'nas.example A 192.168.1.5'],
  )
  assert.deepEqual((await installation.apply(twoPeers)).changes, [])
})

test('an error that nobody expected says what was done as well, and a second apply finishes', async () => {
  let isBroken = true
  await using installation = await openInstallation((parts) => {
    const { records, ...dns } = parts.dns
    const changeMany: typeof records.changeMany = (...changes) =>
      isBroken ? Promise.reject(new Error('disk I/O error')) : records.changeMany(...changes)
    return { ...parts, dns: { ...dns, records: { changeMany } as typeof records } }
  })
  const failed = await installation.apply(twoPeers).then(
    () => assert.fail('it was done'),
    (error: unknown) => error as Problem,
  )
  assert.equal(failed.kind, 'internal')
  assert.equal((failed.cause as Error).message, 'disk I/O error')
  assert.match(failed.message, /3 changes were done before that, 1 change was not; apply again to finish/)
  assert.doesNotMatch(failed.message, /disk/)
  isBroken = false
  const { changes } = await installation.apply(twoPeers)
  assert.deepEqual(
    changes.map(({ name }) => name),
    ['nas.example A 192.168.1.5'],
  )
  assert.deepEqual((await installation.apply(twoPeers)).changes, [])
})

test('secrets come back with their passphrase, belong to their place, and make the same text each time', async () => {
  await using first = await openInstallation()
  await first.apply(twoPeers)
  const passphrase = 'twelve green bottles'
  const text = await first.asCode.export(passphrase)
  assert.equal(await first.asCode.export(passphrase), text)
  assert.notEqual(await first.asCode.export('another passphrase'), text)
  await using second = await openInstallation()
  const apply = (changed: string, given?: string) =>
    second.asCode.apply(
      {
        text: changed,
        ...(given === undefined ? {} : { passphrase: given }),
        dry_run: false,
        prune: true,
        new_keys: false,
        allow_host_overlap: false,
      },
      'test',
    )
  await assert.rejects(apply(text), /passphrase is needed/)
  await assert.rejects(apply(text, 'twelve blue bottles'), /passphrase is not the one that the file was made with/)
  const [, mine = ''] = /peers:\n {2}a:[^]*?private_key: (\S+)/.exec(text) ?? []
  const [, other = ''] = /\n {2}b:[^]*?private_key: (\S+)/.exec(text) ?? []
  await assert.rejects(
    apply(text.replace(mine, other), passphrase),
    /peers\.a\.private_key does not belong to this public_key/,
  )
  assert.match(await second.asCode.export(), /^interfaces: \{\}$/m, 'nothing was changed')
  await apply(text, passphrase)
  assert.equal(await second.asCode.export(passphrase), text)
})
