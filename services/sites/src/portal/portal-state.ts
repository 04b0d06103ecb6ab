import type { SignInMethod } from '@hearth/accounts'
import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { listPortalSessionRows } from '../accounts/portal-session-store.ts'
import type { AccountTables } from '../accounts/tables.ts'
import { usersIn } from '../accounts/users.ts'
import { createSiteReader, type DesiredSite } from '../deploy/desired-sites.ts'
import type { SiteReach } from '../sites/reach-schema.ts'
import { siteHeads, siteRowsOf } from '../sites/store.ts'
import type { SiteTables } from '../sites/tables.ts'
import { createHostIndex, isWildcard } from '../sites/domains.ts'
import { compileSignIn, type CompiledSignIn, type PortalUser } from './decide.ts'
import { listMemberRows, listTokenRows } from './store.ts'
import type { PortalTables, PortalTokenRow } from './tables.ts'

/** Absolute lifetime of a sign-in at the portal, milliseconds: twelve hours, whatever the activity. */
export const maxPortalSession = 43_200_000

/**
 * How often the state is read again beside the edits of this process, with protected sites or sessions and without, and how old it
 * may be before sites close; milliseconds.
 */
const readEvery = { used: 1000, unused: 10_000 }
const trustedFor = 60_000

/** A protected site. */
export interface ProtectedSite {
  readonly id: number
  readonly name: string
  readonly domains: ReadonlySet<string>
  readonly signIn: CompiledSignIn
}

/** The site that answers for a host. */
export interface SiteOfHost {
  readonly id: number
  readonly name: string
  readonly isProtected: boolean
  readonly reach: SiteReach
}

/** A valid session of the portal. */
export interface PortalSession {
  readonly id: string
  readonly user: PortalUser
  /** Milliseconds since the epoch. */
  readonly provedAt: number
  /** Null for a session that is older than what it says. */
  readonly provedBy: SignInMethod | null
  readonly endsAt: number
}

/** A token for one site. */
export interface PortalToken {
  readonly siteId: number
  readonly user: PortalUser
  /** Null for never. */
  readonly expiresAt: number | null
}

/** Everything that decisions need, as it was read at one time. */
export interface PortalSnapshot {
  readonly sites: ReadonlyMap<number, ProtectedSite>
  /** Returns the enabled site that answers for a host, protected or not. */
  readonly ownerOf: (host: string) => SiteOfHost | undefined
  readonly users: ReadonlyMap<string, PortalUser>
  /** By id. */
  readonly sessions: ReadonlyMap<string, PortalSession>
  /** Ids of sessions by the hash of their key. */
  readonly sessionIds: ReadonlyMap<string, string>
  /** By the hash of the token. */
  readonly tokens: ReadonlyMap<string, PortalToken>
  /** Host name of the portal; undefined without one. */
  readonly host: string | undefined
}

interface PortalStateDependencies {
  readonly db: Kysely<AccountTables & PortalTables & SiteTables>
  readonly timers: Timers
  readonly log: Log
}

/** Who may visit which site, in memory. It is read anew after each edit, and every second for edits of other processes. */
export class PortalState {
  readonly #dependencies: PortalStateDependencies
  readonly #reader = createSiteReader()
  #compiled = new Map<DesiredSite, ProtectedSite>()
  #snapshot: PortalSnapshot | undefined
  #readAt = -Infinity
  #reading: Promise<void> = Promise.resolve()
  #waiting: Promise<void> | undefined
  #cancel = () => {}
  #isClosed = false
  readonly #listeners = new Set<(snapshot: PortalSnapshot) => void>()

  constructor(dependencies: PortalStateDependencies) {
    this.#dependencies = dependencies
  }

  /** Returns the state; undefined when it could not be read for a minute, so that nobody passes by an outdated one. */
  current(): PortalSnapshot | undefined {
    return this.#dependencies.timers.monotonic() - this.#readAt <= trustedFor ? this.#snapshot : undefined
  }

  /** Reads everything again. When it resolves, every edit that was stored before the call counts. */
  refresh(): Promise<void> {
    // A reading that has begun may have missed the edit; one that waits for it will not.
    this.#waiting ??= this.#reading.then(() => {
      this.#waiting = undefined
      this.#reading = this.#read().catch((error: unknown) => {
        this.#dependencies.log.error({ err: error }, 'the state of the portal could not be read')
      })
      return this.#reading
    })
    return this.#waiting
  }

  /** Calls the listener after each reading. */
  subscribe(listener: (snapshot: PortalSnapshot) => void): void {
    this.#listeners.add(listener)
  }

  /** Reads the state, and from then on again and again. */
  async start(): Promise<void> {
    await this.refresh()
    if (this.#isClosed) return
    const { sites, sessions } = this.#snapshot ?? {}
    const isUsed = sites === undefined || sites.size > 0 || (sessions?.size ?? 0) > 0
    this.#cancel = this.#dependencies.timers.after(isUsed ? readEvery.used : readEvery.unused, () => void this.start())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#waiting
    await this.#reading
  }

  async #read(): Promise<void> {
    const { db, timers } = this.#dependencies
    const begun = timers.monotonic()
    const since = timers.now() - maxPortalSession
    const sites = await this.#reader.read(await siteHeads(db), (ids) => siteRowsOf(db, ids))
    const users = await this.#readUsers()
    const sessions = (await listPortalSessionRows(db, since)).flatMap((row) => {
      const user = users.get(row.user_id)
      if (user === undefined) return []
      const { id, proved_at: provedAt, proved_by: provedBy } = row
      const session = { id, user, provedAt, provedBy, endsAt: row.created_at + maxPortalSession }
      return [{ keyHash: row.key_hash, session }]
    })
    const tokens = (await listTokenRows(db)).flatMap((row) => tokenEntry(row, users))
    this.#snapshot = {
      sites: new Map(this.#compile(sites).map((site) => [site.id, site])),
      ownerOf: (host) => ownerOf(host, sites),
      users,
      sessions: new Map(sessions.map(({ session }) => [session.id, session])),
      sessionIds: new Map(sessions.map(({ keyHash, session }) => [keyHash, session.id])),
      tokens: new Map(tokens),
      host: sites.find(({ record }) => record.kind === 'portal')?.record.domains[0],
    }
    this.#readAt = begun
    for (const listener of this.#listeners) listener(this.#snapshot)
  }

  async #readUsers(): Promise<Map<string, PortalUser>> {
    const { db } = this.#dependencies
    const members = Map.groupBy(await listMemberRows(db), (row) => row.user_id)
    const rows = await usersIn(db).list()
    // Whoever has to change the password first is signed in nowhere.
    const active = rows.filter((row) => row.is_active === 1 && row.password_change_required === 0)
    return new Map(
      active.map(({ id, username, email }) => {
        const groups = new Set((members.get(id) ?? []).map((row) => row.group_name))
        return [id, { id, username, email, groups }]
      }),
    )
  }

  /** A site whose rules cannot be compiled is left out, and so stays closed. */
  #compile(sites: readonly DesiredSite[]): ProtectedSite[] {
    const before = this.#compiled
    this.#compiled = new Map()
    for (const site of sites) {
      const compiled = before.get(site) ?? this.#compileSite(site)
      if (compiled !== undefined) this.#compiled.set(site, compiled)
    }
    return [...this.#compiled.values()]
  }

  #compileSite({ id, name, record }: DesiredSite): ProtectedSite | undefined {
    // Another server below a wildcard could take a sign-in over, so such a site is closed.
    if (record.sign_in === null || record.domains.some(isWildcard)) return undefined
    try {
      return { id, name, domains: new Set(record.domains), signIn: compileSignIn(record.sign_in) }
    } catch (error) {
      this.#dependencies.log.error({ err: error, site: id }, 'the sign-in rules of a site cannot be read; it is closed')
      return undefined
    }
  }
}

/** Asked for explanations alone, so no index is kept. */
function ownerOf(host: string, sites: readonly DesiredSite[]): SiteOfHost | undefined {
  const hosts = sites.flatMap(({ id, record }) => record.domains.map((domain) => [domain, id] as const))
  const id = createHostIndex(hosts).siteOf(host)
  const site = sites.find((one) => one.id === id)
  return site && { id: site.id, name: site.name, isProtected: site.record.sign_in !== null, reach: site.record.reach }
}

function tokenEntry(row: PortalTokenRow, users: ReadonlyMap<string, PortalUser>): [string, PortalToken][] {
  const user = users.get(row.user_id)
  return user === undefined ? [] : [[row.token_hash, { siteId: row.site_id, user, expiresAt: row.expires_at }]]
}
