import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { ResolverProfile, ResolverRule } from '../../dns/resolver-files.ts'
import type { Tables } from '../../tables.ts'
import { type Assignment, Assignments } from './assignments.ts'
import { earliest, type Holding, holdingAt } from './holding.ts'
import {
  type LoadedProfile,
  loadedProfile,
  type ProfileRuleName,
  resolverProfile,
  resolverRules,
  ruleNames,
} from './loaded-profile.ts'
import { allProfileRows, type ProfilePeerRow } from './store.ts'

/** Dependencies of the profiles in force. */
export interface ProfilesInForceDependencies {
  readonly db: Kysely<Tables>
  readonly timers: Pick<Timers, 'after' | 'now'>
  readonly log: Pick<Log, 'error'>
  /** The time zone of the service. */
  readonly zone: string
  /** Brings the resolver to what `forResolver` says. */
  readonly publish: () => Promise<void>
}

/** A wait is this long at most: the wall clock may jump, or stand still while the machine sleeps. Milliseconds. */
const lookEvery = 20_000
/** Without a change ahead it is looked for again after a day. */
const day = 86_400_000

/**
 * The profiles as the resolver knows them. What holds by their schedules changes on one timer, which waits for the next change of
 * all of them; a change is one entry for the resolver, however many peers have the profile.
 */
export class ProfilesInForce {
  readonly #dependencies: ProfilesInForceDependencies
  #profiles: readonly LoadedProfile[] = []
  #byId = new Map<string, LoadedProfile>()
  #byNumber = new Map<number, LoadedProfile>()
  #names = new Map<number, ProfileRuleName>()
  #assignments: Assignments | undefined
  /** What the resolver was told last is right from then until then. */
  #right = { from: 0, until: 0 }
  #cancel: () => void = () => undefined
  #isClosed = false

  constructor(dependencies: ProfilesInForceDependencies) {
    this.#dependencies = dependencies
  }

  /** Reads profiles and what they are assigned to. */
  async reload(): Promise<void> {
    const rows = await allProfileRows(this.#dependencies.db)
    const assignments = await Assignments.read(this.#dependencies.db, rows)
    this.#profiles = rows.map(loadedProfile)
    this.#byId = new Map(this.#profiles.map((profile) => [profile.id, profile]))
    this.#byNumber = new Map(this.#profiles.map((profile) => [profile.number, profile]))
    this.#names = new Map(this.#profiles.flatMap(ruleNames))
    this.#assignments = assignments
  }

  /** True when there are profiles at all. */
  get isUsed(): boolean {
    return this.#profiles.length > 0
  }

  /** The profile with this id. */
  profile(id: string): LoadedProfile | undefined {
    return this.#byId.get(id)
  }

  /** The profile with this number. */
  numbered(number: number): LoadedProfile | undefined {
    return this.#byNumber.get(number)
  }

  /** The profile of a peer; undefined for none. */
  assignment(peer: ProfilePeerRow): (Assignment & { readonly loaded: LoadedProfile }) | undefined {
    const found = this.#assignments?.of(peer)
    const loaded = found === undefined ? undefined : this.#byId.get(found.profile)
    return found === undefined || loaded === undefined ? undefined : { ...found, loaded }
  }

  /** The profile that is assigned to the peer itself. */
  own(peer: string): LoadedProfile | undefined {
    return this.#byId.get(this.#assignments?.ownOf(peer) ?? '')
  }

  /** The number of a peer's profile; 0 for none. */
  numberOf(peer: ProfilePeerRow): number {
    return this.assignment(peer)?.loaded.number ?? 0
  }

  /** What holds for the peers of a profile. */
  holding(profile: LoadedProfile, now = this.#dependencies.timers.now()): Holding<LoadedProfile> {
    return holdingAt(profile, now, { others: (id) => this.#byId.get(id), zone: this.#dependencies.zone })
  }

  /** The rules of all profiles. */
  rules(): ResolverRule[] {
    return this.#profiles.flatMap(resolverRules)
  }

  /** The name of a rule of a profile, or of a service that it switches off. */
  ruleName(number: number): ProfileRuleName | undefined {
    return this.#names.get(number)
  }

  /** What holds now for the peers of each profile; from then on it is kept up by the timer. */
  forResolver(): ResolverProfile[] {
    const now = this.#dependencies.timers.now()
    let next: number | undefined
    const records = this.#profiles.map((profile) => {
      const holding = this.holding(profile, now)
      next = earliest(next, holding.next?.at)
      if (profile.pausedUntil > now) next = earliest(next, profile.pausedUntil)
      return resolverProfile(profile, holding.profile, now)
    })
    this.#right = { from: now, until: next ?? now + day }
    this.#wait()
    return records
  }

  /** Nothing changes by itself any more. */
  close(): void {
    this.#isClosed = true
    this.#cancel()
  }

  #wait(): void {
    this.#cancel()
    const { timers } = this.#dependencies
    if (this.#isClosed || !this.#profiles.some(({ schedule, pausedUntil }) => schedule !== null || pausedUntil > 0))
      return
    const wait = Math.min(Math.max(0, this.#right.until - timers.now()), lookEvery)
    this.#cancel = timers.after(wait, () => this.#look())
  }

  #look(): void {
    const { timers, publish, log } = this.#dependencies
    const now = timers.now()
    if (now >= this.#right.from && now < this.#right.until) return this.#wait()
    void publish().catch((error: unknown) => {
      log.error({ err: error }, 'the resolver was not notified of a change of profiles')
      this.#wait()
    })
  }
}
