import type { RequestListener } from 'node:http'
import type { Attempts } from '@hearth/accounts'
import type { Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import type { Accounts } from '../accounts/accounts.ts'
import { listPortalSessionRows } from '../accounts/portal-session-store.ts'
import type { AccountTables } from '../accounts/tables.ts'
import { usersIn } from '../accounts/users.ts'
import type { Config } from '../config.ts'
import { notFound } from '../problems.ts'
import type { ReachNetworks } from '../sites/reach-schema.ts'
import type { SiteTables } from '../sites/tables.ts'
import { createAddressLimit } from './address-limit.ts'
import type { ApplicationSignIn } from './applications.ts'
import { explainVisit } from './explain-visit.ts'
import { createGroups, type Groups } from './groups.ts'
import { createPortalPages } from './portal-pages.ts'
import { PortalPasskeys } from './portal-passkeys.ts'
import { openPortalServers, portalObstacle, portalSocketPaths } from './portal-server.ts'
import { createPortalSessions, type PortalSessions } from './portal-sessions.ts'
import { maxPortalSession, type PortalState } from './portal-state.ts'
import type { PortalSessionView, VisitExplain, VisitExplanation } from './schema.ts'
import { createHandOverCodes, createSiteKeys } from './site-keys.ts'
import { createSiteTokens, type SiteTokens } from './site-tokens.ts'
import type { PortalTables } from './tables.ts'
import { createVerify } from './verify.ts'

/** Dependencies of the portal. */
export interface PortalDependencies {
  readonly database: Database<AccountTables & PortalTables & SiteTables>
  readonly timers: Timers
  readonly log: Log
  /** Key of the service. */
  readonly secret: Uint8Array
  readonly config: Config
  /** The service's own Caddy, which alone reaches the portal; undefined when it runs none. */
  readonly own: object | undefined
  readonly accounts: Accounts
  /** Failed sign-ins, as they are counted across restarts. */
  readonly attempts: Attempts
  readonly state: PortalState
  /** Answers visitors of status pages. */
  readonly statusPages: RequestListener
  readonly applications: ApplicationSignIn
  /** Returns the networks that count as inside. */
  readonly reach: () => ReachNetworks
}

/** The portal: who may visit protected sites, and the pages on which visitors sign in. */
export class Portal {
  readonly groups: Groups
  readonly tokens: SiteTokens
  readonly #dependencies: PortalDependencies
  readonly #sessions: PortalSessions
  #servers: { close(): Promise<void> } | undefined

  constructor(dependencies: PortalDependencies) {
    const { database, timers, state, accounts, applications } = dependencies
    const shared = { database, db: database.query, clock: timers, state, applications, ...accounts }
    this.#dependencies = dependencies
    this.groups = createGroups(shared)
    this.tokens = createSiteTokens(shared)
    this.#sessions = createPortalSessions(shared)
  }

  /** Reads who may visit what, and answers Caddy and visitors from then on. */
  async start(): Promise<void> {
    const { database, timers, log, secret, config, accounts, attempts, state, own, statusPages, applications } =
      this.#dependencies
    await state.start()
    if (own === undefined) return
    const obstacle = portalObstacle(config)
    if (obstacle !== undefined) return log.warn(`there is no portal, and protected sites are closed: it ${obstacle}`)
    const codes = createHandOverCodes(timers)
    const passkeys = new PortalPasskeys({ database, clock: timers, log })
    const limit = createAddressLimit(attempts, accounts.securityLog)
    const pages = {
      clock: timers,
      log,
      state,
      sessions: this.#sessions,
      passkeys,
      codes,
      limit,
      accounts,
      applications,
    }
    const answerPage = createPortalPages(pages)
    this.#servers = await openPortalServers(portalSocketPaths(config.dataDirectory), {
      verify: createVerify({ state, keys: createSiteKeys(secret), codes, clock: timers, log }),
      pages: (request, response) => void answerPage(request, response),
      status: statusPages,
    })
  }

  /** Explains a visit, and who may sign in to the application at the address. */
  async explain(visit: VisitExplain): Promise<VisitExplanation> {
    const { state, reach, applications } = this.#dependencies
    const snapshot = state.current()
    const explanation = explainVisit(visit, snapshot, reach())
    const user = visit.user_id === null ? undefined : snapshot?.users.get(visit.user_id)
    const use = await applications.explainUse(new URL(visit.url).origin, user)
    return use === undefined ? explanation : { ...explanation, reason: `${explanation.reason} ${use}` }
  }

  /** Lists the sessions of visitors, oldest first. */
  async listSessions(): Promise<PortalSessionView[]> {
    const { database, timers } = this.#dependencies
    const users = new Map((await usersIn(database.query).list()).map((user) => [user.id, user.username]))
    const rows = await listPortalSessionRows(database.query, timers.now() - maxPortalSession)
    return rows.map((row) => ({
      id: row.id,
      user_id: row.user_id,
      username: users.get(row.user_id) ?? '',
      created_at: new Date(row.created_at).toISOString(),
      ends_at: new Date(row.created_at + maxPortalSession).toISOString(),
      address: row.address,
      user_agent: row.user_agent,
    }))
  }

  /** Signs a visitor out of all sites, and returns the user name. */
  async endSession(id: string): Promise<string> {
    const session = (await this.listSessions()).find((one) => one.id === id)
    if (session === undefined || !(await this.#sessions.end(id))) throw notFound('session')
    return session.username
  }

  async close(): Promise<void> {
    await this.#servers?.close()
    await this.#dependencies.state.close()
  }
}
