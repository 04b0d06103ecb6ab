import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testSeed } from '@hearth/testing'
import { Reason, safeSearchSource, Status } from '../src/dns/policy/verdict.ts'
import { profileClient } from '../src/dns/policy/profile-table.ts'
import { holdingAt } from '../src/filtering/profiles/holding.ts'
import { type LoadedProfile, resolverProfile } from '../src/filtering/profiles/loaded-profile.ts'
import { weekdays } from '../src/filtering/profiles/schedule.ts'
import type { Explanation } from '../src/resolver/messages.ts'
import type { ResolverClient, ResolverProfile, ResolverRule } from '../src/dns/resolver-files.ts'
import { recordOf } from './dns-policies.ts'
import { addressOf, startFakeNameserver, type Zone } from './fake-nameserver.ts'
import { startResolverFixture } from './loopback-resolver.ts'
import { upstreamAt } from './resolver-fixture.ts'

/** Draws numbers that follow from a seed. */
function createDice(seed: number) {
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  return { random, pick }
}

/** Returns true if safe search of a profile gave the answer. */
const isSafe = ({ matches }: Explanation): boolean =>
  matches.some(({ kind, source, isDeciding }) => kind === 'record' && source === safeSearchSource && isDeciding)

const pairs = 10_000

test(
  `${pairs} names queried by somebody at some time, with profiles and their schedules: the explanation says what the answer was`,
  { timeout: 180_000 },
  async (context) => {
    context.diagnostic(`TEST_SEED=${testSeed}`)
    const { random, pick } = createDice(testSeed)
    const labels = ['a', 'b', 'ads', 'cdn', 'x1']
    const name = () =>
      [...Array.from({ length: Math.floor(random() * 3) }, () => pick(labels)), pick(labels), 'example'].join('.')
    const entry = () => {
      const form = random()
      if (form < 0.45) return `||${name()}^`
      if (form < 0.6) return `@@||${name()}^`
      if (form < 0.7) return `||${name()}^$important`
      if (form < 0.75) return `@@||${name()}^$important`
      if (form < 0.77) return `|${name()}^`
      if (form < 0.8) return `||${name()}^$denyallow=${name()}`
      if (form < 0.84) return `${pick(['', '@@'])}||${name()}^$dnstype=${pick(['A', '~A', 'AAAA|CNAME'])}`
      if (form < 0.88) return `||${name()}^$client=${pick(['127.0.7.2', '~127.0.7.3', 'Client 5', '127.0.7.0/30'])}`
      if (form < 0.91) return `||${addressOf(name())}^`
      if (form < 0.95) return `*.${name()}`
      return pick(['-x1.', '/^ads[0-9]/', '||a*.cdn.example^', '.x1.a.', '/(a|b)\\.cdn\\./'])
    }
    const text = (count: number) => Array.from({ length: count }, entry).join('\n')
    const clients: ResolverClient[] = Array.from({ length: 8 }, (_, n) => ({
      number: n + 1,
      id: `client-${n}`,
      name: `Client ${n}`,
      label: `client-${n}`,
      addresses: [`127.0.7.${n + 1}`],
      filtering: n !== 3,
      lists: n === 1 ? ['one'] : n === 2 ? ['two', 'three'] : n === 4 ? [] : null,
      logging: true,
      ...(n >= 4 ? { profile: n - 3 } : {}),
      ...(n < 6 ? { gateway: `10.8.${n % 2}.1` } : {}),
    }))
    const time = () => `${String(Math.floor(random() * 24)).padStart(2, '0')}:${pick(['00', '15', '30', '59'])}`
    // Every day from seven to seven, and at random times.
    const times = () => [
      { days: weekdays, from: '07:00', to: '19:00' },
      { days: weekdays.filter(() => random() < 0.6), from: time(), to: time() },
    ]
    // The first one holds always, the others at their times in their zones, and for the rest of the time another one or none.
    const loaded: LoadedProfile[] = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'].map(
      (zone, n) => ({
        id: `profile-${n + 1}`,
        number: n + 1,
        name: `Profile ${n + 1}`,
        lists: pick([null, ['one'], ['two', 'three'], []]),
        rules: [],
        services: [],
        blockMode: null,
        safeSearch: random() < 0.5,
        youtube: pick([null, 'moderate', 'strict']),
        schedule: n === 0 ? null : { time_zone: zone, times: times(), otherwise: n === 2 ? null : `profile-${n}` },
        selfPauseMinutes: 0,
        pausedUntil: 0,
      }),
    )
    const others = (id: string) => loaded.find((each) => each.id === id)
    /** A time of this year, every other one within hours of a change of clocks. */
    const drawTime = () => {
      const changes = ['2026-03-08T07:00Z', '2026-03-29T01:00Z', '2026-10-03T15:30Z', '2026-10-25T01:00Z'].map(
        Date.parse,
      )
      const hours = (random() - 0.5) * 12
      const moment =
        random() < 0.5 ? pick(changes) + hours * 3_600_000 : Date.UTC(2026, 0, 1) + random() * 364 * 86_400_000
      return Math.round(moment)
    }
    let inForce: readonly ResolverProfile[] = []
    const profiles = (now = drawTime()): readonly ResolverProfile[] => {
      inForce = loaded.map((profile) => {
        const { profile: holds } = holdingAt(profile, now, { others, zone: 'UTC' })
        const paused = holds && { ...holds, pausedUntil: random() < 0.2 ? now + 1 : 0 }
        return resolverProfile(profile, paused, now)
      })
      return inForce
    }
    const rules: ResolverRule[] = Array.from({ length: 60 }, (_, n) => ({
      number: n + 1,
      action: pick(['block', 'allow']),
      domain: name(),
      belowOnly: random() < 0.2,
      client: random() < 0.5 ? 0 : 1 + Math.floor(random() * 8),
    }))
    const ofProfiles: ResolverRule[] = Array.from({ length: 40 }, (_, n) => ({
      number: n + 1001,
      action: pick(['block', 'allow']),
      domain: name(),
      belowOnly: random() < 0.2,
      client: profileClient(1 + (n % 4)),
    }))
    const zone: Record<string, Zone[string]> = {}
    for (let n = 0; n < 40; n++)
      zone[`alias${n}.${name()}`] = { cname: random() < 0.3 ? `alias${n + 100}.example` : name() }
    for (let n = 0; n < 40; n++) zone[`alias${n + 100}.example`] = { cname: name() }
    const aliases = Object.keys(zone)
    // Local records: addresses of one network, and aliases to whatever there is.
    const owners = [...new Set(Array.from({ length: 40 }, () => (random() < 0.2 ? `*.${name()}` : name())))]
    const records = owners.map((owner, n) =>
      recordOf(random() < 0.5 ? `${owner} A 192.168.9.${n + 1}` : `${owner} CNAME ${pick([...aliases, name()])}`),
    )
    // For the clients of a gateway, some of those names are others.
    const ofGateways = owners
      .filter((owner) => !owner.startsWith('*.') && random() < 0.6)
      .map((owner, n) => {
        const text = random() < 0.5 ? `A 192.168.9.${n + 100}` : `CNAME ${pick([...aliases, name()])}`
        return Object.assign({}, recordOf(`${owner} ${text}`), { gateway: `10.8.${n % 2}.1` })
      })
    await using upstream = await startFakeNameserver(zone)
    // Zones with a server of their own, whose addresses are private and those of nobody else.
    const forwarded = [
      ...new Set([...labels.slice(0, 4).map((label) => `${label}.example`), ...Array.from({ length: 4 }, name)]),
    ]
    const own = Object.fromEntries(aliases.map((alias) => [alias, zone[alias]!]))
    await using zoneServer = await startFakeNameserver(own, undefined, (asked) => `10.66.${asked.length % 250}.1`)
    const zones = forwarded.map((domain) => ({ names: [domain], servers: [upstreamAt(zoneServer.port)] }))
    await using fixture = await startResolverFixture({
      lists: { one: text(12), two: text(12), three: text(12) },
      clients,
      profiles: profiles(),
      rules: [
        ...new Map(
          [...rules, ...ofProfiles].map((rule) => [`${rule.domain} ${rule.belowOnly} ${rule.client}`, rule]),
        ).values(),
      ],
      records: [...records, ...ofGateways],
      zones,
      upstreamPort: upstream.port,
    })
    const seen = {
      blocked: 0,
      allowed: 0,
      cname: 0,
      local: 0,
      led: 0,
      forwarded: 0,
      profile: 0,
      safe: 0,
      outside: 0,
      instead: 0,
    }
    const servers = [upstream, zoneServer].map(({ port }) => `udp://127.0.0.1:${port}`)
    const check = async () => {
      const client = 1 + Math.floor(random() * 8)
      const others = [`${pick(['client-3', 'x'])}.vpn`, pick(['www.google.fr', 'm.youtube.com', 'duckduckgo.com'])]
      const domain = random() < 0.3 ? pick(aliases) : random() < 0.1 ? pick(others) : name()
      const [live, said] = await Promise.all([
        fixture.ask(domain, `127.0.7.${client}`),
        fixture.resolver.explain({ domain, client, resolve: true, qtype: 1 }),
      ])
      const isBlocked = said.verdict.status === Status.blocked
      assert.equal(live.isBlocked, isBlocked, `${domain} for ${client}: ${JSON.stringify(said)}`)
      seen[isBlocked ? 'blocked' : 'allowed'] += 1
      const isLocal = said.verdict.reason === Reason.local
      // Without aliases the answer is in the records, and no other answer has addresses of their network.
      if (isLocal && said.cnames.length === 0 && live.rcode === 0)
        assert.match(live.addresses.join(), /^(192\.168\.9\.|127\.0\.7\.4$)/)
      if (live.addresses.some((address) => address.startsWith('192.168.9.'))) assert.ok(isLocal, domain)
      if (isLocal) seen[said.cnames.length === 0 ? 'local' : 'led'] += 1
      if (isBlocked && said.name !== domain) seen.cname += 1
      const holding = inForce[client - 5]
      assert.equal(said.profile?.holds ?? 0, holding?.holds ?? 0, `the profile that holds for ${client}`)
      const ofProfile = said.matches.find(({ isDeciding, scope }) => isDeciding && scope === 'profile')
      if (ofProfile !== undefined) {
        seen.profile += 1
        assert.equal(holding?.isPaused, false)
        if (ofProfile.kind === 'rule') assert.equal(1 + ((ofProfile.source - 1001) % 4), holding.holds)
      }
      const held = holding?.holds
      if (held === 0) seen.outside += 1
      if (held !== undefined && held !== 0 && held !== client - 4) seen.instead += 1
      if (isSafe(said)) seen.safe += 1
      if (isBlocked || said.cnames.length > 0) return
      const isForwarded = live.addresses.some((address) => address.startsWith('10.66.'))
      const zoneOf = forwarded.filter((one) => domain === one || domain.endsWith(`.${one}`))
      const longest = zoneOf.toSorted((one, other) => other.length - one.length)[0] ?? null
      assert.equal(said.zone, isLocal ? null : longest, domain)
      assert.equal(said.server, isLocal ? null : servers[longest === null ? 0 : 1], domain)
      assert.equal(isForwarded, said.zone !== null, domain)
      if (isForwarded) seen.forwarded += 1
    }
    for (let done = 0; done < pairs; done += 50) {
      // Answers and explanations of these fifty are for one time.
      await fixture.input.write('profiles', profiles())
      await Promise.all(Array.from({ length: 50 }, check))
    }
    context.diagnostic(JSON.stringify(seen))
    assert.ok(
      seen.blocked > 500 &&
        seen.allowed > 500 &&
        seen.cname > 20 &&
        seen.local > 20 &&
        seen.led > 20 &&
        seen.forwarded > 20 &&
        seen.profile > 20 &&
        seen.safe > 20 &&
        seen.outside > 20 &&
        seen.instead > 20,
      JSON.stringify(seen),
    )
  },
)
