import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { defaultDnsSettings } from '../../filtering/schema.ts'
import { resolverSettings } from '../../filtering/resolver-input.ts'
import { compileLists } from '../../lists/compile-lists.ts'
import { explain } from '../../dns/policy/explain.ts'
import { openPolicy } from '../../dns/policy/policy.ts'
import { profileClient } from '../../dns/policy/profile-table.ts'
import type {
  ResolverClient,
  ResolverList,
  ResolverProfile,
  ResolverRecord,
  ResolverRule,
} from '../../dns/resolver-files.ts'
import { activeConfig, policyOf } from '../../resolver/read-files.ts'
import type { ResolverFiles } from '../../resolver/stored-files.ts'
import { cutFiles } from './cut-files.ts'

const now = 1_790_000_000_000
const gateways = ['10.8.0.1', '10.9.0.1', '10.10.0.1']
/** The first two are on the node. */
const served = [
  { name: 'wg0', gateways: ['10.8.0.1', 'fd08::1'] },
  { name: 'wg1', gateways: ['10.9.0.1'] },
]
const domains = ['example', 'a.example', 'b.a.example', 'ads.example', 'x.ads.example', 'nas.vpn']
const suffix = 'vpn'

const list = (number: number): ResolverList => ({
  number,
  id: `list-${number}`,
  name: `List ${number}`,
  format: 'adblock',
  sha256: '',
})
const texts = [
  "||ads.example^\n||a.example^$client='peer 1'\n",
  "@@||x.ads.example^\n||b.a.example^$client=~'peer 2'\n||example^$client=10.9.0.0/16\n",
]
const lists = [list(0), list(1)]
const { bundle } = compileLists(lists, ({ number }) => Buffer.from(texts[number] ?? ''), { first: 77, second: 99 })

const listIds = fc.option(fc.subarray(['list-0', 'list-1']))
interface DrawnClient {
  readonly place: number
  readonly filtering: boolean
  readonly lists: string[] | null
  readonly profile: number
  readonly hasLabel: boolean
}

function clientOf({ place, hasLabel, profile, ...more }: DrawnClient, index: number): ResolverClient {
  return {
    ...more,
    number: index + 1,
    id: `p${index + 1}`,
    name: `peer ${index + 1}`,
    label: hasLabel ? `peer-${index + 1}` : null,
    addresses: [`10.${8 + place}.0.${index + 2}`],
    logging: true,
    gateway: gateways[place] ?? '',
    ...(profile === 0 ? {} : { profile }),
  }
}

const clientsOf = fc
  .array(
    fc.record({
      place: fc.nat(2),
      filtering: fc.boolean(),
      lists: listIds,
      profile: fc.nat(3),
      hasLabel: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  .map((drawn) => drawn.map(clientOf))
const profilesOf = fc.array(
  fc.record({ holds: fc.nat(3), isPaused: fc.boolean(), lists: listIds, blockMode: fc.nat(4), safety: fc.constant(0) }),
  { minLength: 3, maxLength: 3 },
)
const rulesOf = fc.array(
  fc.record({
    action: fc.constantFrom<'block' | 'allow'>('block', 'allow'),
    domain: fc.constantFrom(...domains),
    belowOnly: fc.boolean(),
    client: fc.oneof(fc.nat(8), fc.integer({ min: 1, max: 3 }).map(profileClient)),
  }),
  { maxLength: 12 },
)
const recordsOf = fc.array(
  fc.record({ domain: fc.constantFrom(...domains), belowOnly: fc.boolean(), gateway: fc.option(fc.nat(2)) }),
  { maxLength: 5 },
)

function numbered<T extends object>(one: T, index: number): T & { number: number } {
  return { ...one, number: index + 1 }
}

function recordOf(
  drawn: { domain: string; belowOnly: boolean; gateway: number | null },
  index: number,
): ResolverRecord {
  const { gateway, ...one } = drawn
  const record = { ...one, type: 1, ttl: 60, data: `0a0000${String(index).padStart(2, '0')}` }
  return gateway === null ? record : { ...record, gateway: gateways[gateway] ?? '' }
}

const world = fc.record({
  clients: clientsOf,
  profiles: profilesOf.map((all): ResolverProfile[] => all.map(numbered)),
  rules: rulesOf.map((all): ResolverRule[] => all.map(numbered)),
  records: recordsOf.map((all) => all.map(recordOf)),
  blockingEnabled: fc.boolean(),
})

function filesOf({ blockingEnabled, ...parts }: typeof world extends fc.Arbitrary<infer T> ? T : never): ResolverFiles {
  const stored = { ...defaultDnsSettings, blocking_enabled: blockingEnabled, peer_names_suffix: suffix, pausedUntil: 0 }
  const settings = resolverSettings(stored, [], {
    engine: 'dgram',
    listeners: [{ address: '127.0.0.1', port: 53, device: null }],
    listenClient: 1,
    watched: { tunnels: true, blocked: true },
  })
  const secrets = { name: null, tls: [], https: [], http: [], certificate: '', key: '', clients: [] }
  return { ...parts, settings, lists, zones: [], names: [], private: secrets }
}

test('each peer of a node gets the decisions that all files would give it', () => {
  fc.assert(
    fc.property(world, (drawn) => {
      const home = filesOf(drawn)
      const cut = { ...home, ...cutFiles(home, served, { logs: true }) }
      const [whole, part] = [home, cut].map((files) => openPolicy(policyOf(activeConfig(files, bundle), bundle)))
      assert.ok(whole !== undefined && part !== undefined)
      const names = [...domains, ...home.clients.map(({ label }) => `${label ?? 'nobody'}.${suffix}`)]
      for (const { number } of cut.clients)
        for (const domain of names) {
          const question = { domain, client: number, now }
          assert.deepEqual(explain(part, question), explain(whole, question))
        }
    }),
    { numRuns: 300 },
  )
})

test('nothing that is about others goes to a node', () => {
  fc.assert(
    fc.property(world, (drawn) => {
      const home = filesOf(drawn)
      const { clients, names, profiles, rules, records, settings } = cutFiles(home, served, { logs: true })
      const numbers = new Set(clients.map(({ number }) => number))
      assert.ok(clients.every(({ gateway }) => gateway === '10.8.0.1' || gateway === '10.9.0.1'))
      assert.ok(rules.every(({ client }) => client <= 0 || numbers.has(client)))
      const held = new Set(profiles.map(({ holds }) => profileClient(holds)))
      assert.ok(rules.every(({ client }) => client >= 0 || held.has(client)))
      assert.ok(profiles.every(({ number }) => clients.some(({ profile }) => profile === number)))
      assert.ok(records.every(({ gateway }) => gateway !== '10.10.0.1'))
      for (const name of names) assert.deepEqual(Object.keys(name), ['label', 'addresses'])
      const { listeners, listenClient, queryLog, watched } = settings
      assert.deepEqual(
        listeners.map(({ address, port, device }) => `${address} ${port} ${device}`),
        ['10.8.0.1 53 wg0', 'fd08::1 53 wg0', '10.9.0.1 53 wg1'],
      )
      assert.deepEqual(
        [listenClient, queryLog, watched],
        [0, home.settings.queryLog, { tunnels: false, blocked: false }],
      )
      assert.equal(cutFiles(home, served, { logs: false }).settings.queryLog, 'none', 'an older version')
    }),
  )
})
