import { randomInt, randomUUIDv7 } from 'node:crypto'
import type { Database, Page } from '@hearth/database'
import { type Clock, createKeyedQueue } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { allGroupRows } from '../../access-rules/store.ts'
import { nameKey } from '../../envelope.ts'
import { parseRuleDomain } from '../../lists/domain-name.ts'
import { conflict, invalidField, namedConflict, notFound } from '../../problems.ts'
import type { Tables } from '../../tables.ts'
import { checkedSchedule } from './checked-schedule.ts'
import { type ProfileRule, named, serviceRules, stateView } from './loaded-profile.ts'
import type { ProfilesInForce } from './profiles-in-force.ts'
import {
  type DnsProfile,
  type DnsProfileCreate,
  type DnsProfileDetail,
  type DnsProfileListQuery,
  type DnsProfileUpdate,
  maxProfiles,
  type PeerDnsProfile,
} from './schema.ts'
import { serviceWith } from './services.data.ts'
import * as store from './store.ts'
import type { DnsProfileRow } from './tables.ts'
import { replaceTargets } from './targets.ts'

export interface ProfileDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly inForce: ProfilesInForce
  /** Resolves when the stored profiles hold for the next query (true), or the resolver does not answer (false). */
  readonly publish: () => Promise<boolean>
}

/** A change of a profile that is stored. `inForce`: it holds for the next query; otherwise once the resolver answers again. */
export interface ProfileChange {
  readonly profile: DnsProfileDetail
  readonly inForce: boolean
}

/** Number of changes that wait for others. */
const maxWaiting = 1000

/** The highest number of a profile in the resolver. */
const maxNumber = 255

/** Profiles of the filter, and what they are assigned to. */
export class Profiles {
  readonly #dependencies: ProfileDependencies
  readonly #db: Kysely<Tables>
  /** What one profile has another one has not, so changes come one after another. */
  readonly #queue = createKeyedQueue(maxWaiting)

  constructor(dependencies: ProfileDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
  }

  async list(query: DnsProfileListQuery): Promise<Page<DnsProfile>> {
    const wanted = nameKey(query.search?.trim() ?? '')
    const rows = (await store.allProfileRows(this.#db)).filter((row) => row.name_key.includes(wanted))
    const shown = rows.slice(query.offset, query.offset + query.limit)
    return { rows: await this.#views(shown), total: rows.length }
  }

  async get(id: string): Promise<DnsProfileDetail> {
    const row = (await store.allProfileRows(this.#db)).find((one) => one.id === id)
    const [view] = row === undefined ? [] : await this.#views([row])
    if (view === undefined) throw notFound(`profile ${id}`)
    return { ...view, peers: await store.namedPeers(this.#db, id) }
  }

  async create(input: DnsProfileCreate, by: string): Promise<ProfileChange> {
    const id = randomUUIDv7()
    await this.#change(async (trx) => {
      const others = await store.allProfileRows(trx)
      if (others.length >= maxProfiles) throw conflict('name', `There are ${maxProfiles} profiles already`)
      const row = {
        ...(await columnsOf(trx, { id, changes: input, others })),
        id,
        number: freeNumber(others),
        paused_until: 0,
        created_at: this.#dependencies.clock.now(),
        created_by: by,
      }
      await store.insertProfileRow(trx, row as DnsProfileRow)
      await replaceTargets(trx, id, input)
    })
    return this.#changed(id)
  }

  async update(id: string, changes: DnsProfileUpdate): Promise<ProfileChange> {
    await this.#change(async (trx) => {
      const others = await store.allProfileRows(trx)
      if (!others.some((other) => other.id === id)) throw notFound(`profile ${id}`)
      await store.updateProfileRow(trx, id, await columnsOf(trx, { id, changes, others }))
      await replaceTargets(trx, id, changes)
    })
    return this.#changed(id)
  }

  /** A profile that another one names for the rest of the time stays: without it that one would say something else. */
  async remove(id: string): Promise<{ id: string; name: string; inForce: boolean }> {
    const { name } = await this.get(id)
    await this.#change(async (trx) => {
      const naming = (await store.allProfileRows(trx)).find((row) => scheduleOf(row)?.otherwise === id)
      if (naming !== undefined)
        throw conflict('id', `The schedule of ${naming.name} names the profile ${name}; change that first`, {
          id: naming.id,
        })
      await store.deleteProfileRow(trx, id)
    })
    return { id, name, inForce: await this.#publish() }
  }

  /** Blocks nothing for the devices of a profile for so many seconds; 0 blocks again. */
  async pause(id: string, seconds: number): Promise<ProfileChange> {
    await this.get(id)
    const pausedUntil = seconds === 0 ? 0 : this.#dependencies.clock.now() + seconds * 1000
    await this.#change((trx) => store.updateProfileRow(trx, id, { paused_until: pausedUntil }))
    return this.#changed(id)
  }

  /** The profile of a peer. */
  async ofPeer(id: string): Promise<PeerDnsProfile> {
    const peer = await store.findProfilePeer(this.#db, id)
    if (peer === undefined) throw notFound(`peer ${id}`)
    const { inForce, clock } = this.#dependencies
    const found = inForce.assignment(peer)
    const now = clock.now()
    const holding = found === undefined ? { profile: undefined, next: undefined } : inForce.holding(found.loaded, now)
    return {
      id,
      assigned: named(found?.loaded),
      by: found?.by ?? null,
      via: found?.via ?? null,
      own: named(inForce.own(id)),
      ...stateView(holding, now),
    }
  }

  /** Assigns a profile to a peer itself, or none. */
  async assign(peer: string, profile: string | null): Promise<{ peer: PeerDnsProfile; inForce: boolean }> {
    await this.ofPeer(peer)
    await this.#change(async (trx) => {
      if (profile !== null && !(await store.allProfileRows(trx)).some(({ id }) => id === profile))
        throw invalidField('profile_id', 'is no profile', 'unknown')
      await store.deleteTargets(trx, 'peer_id', [peer])
      if (profile === null) return
      const nothing = { group_id: null, interface: null }
      await store.insertTargetRows(trx, [{ id: randomUUIDv7(), profile_id: profile, peer_id: peer, ...nothing }])
    })
    const inForce = await this.#publish()
    return { peer: await this.ofPeer(peer), inForce }
  }

  async #changed(id: string): Promise<ProfileChange> {
    const inForce = await this.#publish()
    return { profile: await this.get(id), inForce }
  }

  #change(work: (trx: Kysely<Tables>) => Promise<void>): Promise<void> {
    return this.#queue.run('profiles', () =>
      namedConflict('profile', ['name'], () => this.#db.transaction().execute(work)),
    )
  }

  #publish(): Promise<boolean> {
    return this.#dependencies.publish()
  }

  async #views(rows: readonly DnsProfileRow[]): Promise<DnsProfile[]> {
    const targets = Map.groupBy(await store.allTargetRows(this.#db), (row) => row.profile_id)
    const groups = new Map((await allGroupRows(this.#db)).map(({ id, name }) => [id, name]))
    const lists = await store.listIds(this.#db)
    const now = this.#dependencies.clock.now()
    return rows.map((row) => {
      const { inForce } = this.#dependencies
      const loaded = inForce.profile(row.id)
      const mine = targets.get(row.id) ?? []
      return {
        id: row.id,
        name: row.name,
        lists: row.lists === null ? null : (JSON.parse(row.lists) as string[]).filter((id) => lists.has(id)),
        rules: rulesOf(row).map(({ action, domain, belowOnly }) => ({
          action,
          domain: belowOnly ? `*.${domain}` : domain,
        })),
        services: (JSON.parse(row.services) as string[]).filter((id) => serviceWith(id) !== undefined),
        block_mode: row.block_mode,
        safe_search: row.safe_search === 1,
        youtube: row.youtube,
        self_pause_minutes: row.self_pause_minutes,
        schedule: scheduleOf(row),
        peer_count: mine.filter(({ peer_id: peer }) => peer !== null).length,
        groups: mine.flatMap(({ group_id: id }) => (id === null ? [] : [{ id, name: groups.get(id) ?? '' }])),
        interfaces: mine.flatMap((target) => (target.interface === null ? [] : [target.interface])).toSorted(),
        state: stateView(
          loaded === undefined ? { profile: undefined, next: undefined } : inForce.holding(loaded, now),
          now,
        ),
        created_at: new Date(row.created_at).toISOString(),
        created_by: row.created_by,
      }
    })
  }
}

const scheduleOf = ({ schedule }: DnsProfileRow) =>
  schedule === null ? null : (JSON.parse(schedule) as NonNullable<DnsProfile['schedule']>)

const rulesOf = ({ rules }: DnsProfileRow): ProfileRule[] => JSON.parse(rules) as ProfileRule[]

/** A number above all others, so that the log of a deleted profile is not another's; free ones when there are none above. */
function freeNumber(others: readonly DnsProfileRow[]): number {
  const taken = new Set(others.map(({ number }) => number))
  const next = Math.max(0, ...taken) + 1
  if (next <= maxNumber) return next
  return Array.from({ length: maxNumber }, (_, index) => index + 1).find((number) => !taken.has(number)) ?? maxNumber
}

interface Changing {
  readonly id: string
  readonly changes: DnsProfileUpdate
  readonly others: readonly DnsProfileRow[]
}

/** The columns that a change is about. Throws a `Problem` that names the member which cannot be. */
async function columnsOf(trx: Kysely<Tables>, { id, changes, others }: Changing): Promise<Partial<DnsProfileRow>> {
  const { name, lists, rules, services, block_mode: blockMode, schedule, safe_search: safeSearch, youtube } = changes
  if (lists) {
    const known = await store.listIds(trx)
    const place = lists.findIndex((list) => !known.has(list))
    if (place >= 0) throw invalidField(`lists.${place}`, 'is no list', 'unknown')
  }
  const { self_pause_minutes: selfPause } = changes
  const unknown = services?.findIndex((service) => serviceWith(service) === undefined) ?? -1
  if (unknown >= 0) throw invalidField(`services.${unknown}`, 'is no service', 'unknown')
  const before = others.find((other) => other.id === id)
  return {
    ...(name === undefined ? {} : { name, name_key: nameKey(name) }),
    ...(lists === undefined ? {} : { lists: lists === null ? null : JSON.stringify([...new Set(lists)]) }),
    ...(rules === undefined ? {} : { rules: JSON.stringify(storedRules(rules, before)) }),
    ...(services === undefined ? {} : { services: JSON.stringify([...new Set(services)]) }),
    ...(blockMode === undefined ? {} : { block_mode: blockMode }),
    ...(safeSearch === undefined ? {} : { safe_search: safeSearch ? 1 : 0 }),
    ...(youtube === undefined ? {} : { youtube }),
    ...(selfPause === undefined ? {} : { self_pause_minutes: selfPause }),
    ...(schedule === undefined ? {} : { schedule: JSON.stringify(checkedSchedule(schedule, { id, others })) }),
  }
}

/** The rules as they are stored; one that was there keeps its number, so that the log still names it. */
function storedRules(rules: DnsProfileCreate['rules'], before: DnsProfileRow | undefined): ProfileRule[] {
  const keyOf = ({ domain, belowOnly }: Pick<ProfileRule, 'domain' | 'belowOnly'>) =>
    `${belowOnly ? '*.' : ''}${domain}`
  const known = new Map((before === undefined ? [] : rulesOf(before)).map((rule) => [keyOf(rule), rule.number]))
  const seen = new Set<string>()
  return rules.map(({ action, domain: text }, index) => {
    const path = `rules.${index}.domain`
    const parsed = parseRuleDomain(text)
    if (parsed === undefined) throw invalidField(path, 'must be a domain name such as example.com or *.example.com')
    const { domain, belowOnly } = parsed
    const key = keyOf({ domain, belowOnly })
    if (seen.has(key)) throw invalidField(path, 'has a rule that stands before it')
    seen.add(key)
    return { number: known.get(key) ?? randomInt(1, serviceRules), action, domain, belowOnly }
  })
}
