import { randomUUID } from 'node:crypto'
import { hashToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { allowAddresses, createOpenGuarded, createOutboundPolicy, type OutboundAllow } from '@hearth/outbound'
import type { Log, Timers } from '@hearth/runtime'
import type { PortalSnapshot, PortalState } from '../portal/portal-state.ts'
import { mayUse } from './account-claims.ts'
import { deleteArtifactsOfGrant } from './artifact-store.ts'
import type { Client, Clients } from './clients/clients.ts'
import * as store from './login-store.ts'
import type { PortalLink } from './portal-link.ts'
import type { SigningKeys } from './signing-keys.ts'
import type { OpenIdLoginRow, OpenIdProviderTables } from './tables.ts'

/** Dependencies of back-channel logout. */
export interface LogoutDependencies {
  readonly database: Database<OpenIdProviderTables>
  readonly timers: Timers
  readonly log: Log
  readonly state: Pick<PortalState, 'current' | 'subscribe'>
  readonly clients: Clients
  readonly keys: SigningKeys
  readonly link: PortalLink
  readonly allow: OutboundAllow
}

/** How long an application is tried, and the pauses between tries, milliseconds. */
const triedFor = 3_600_000
const pauses = [5000, 15_000, 60_000, 300_000, 600_000]
/** Applications that are told at once, and the time that one has. */
const atOnce = 10
const timeoutMs = 5000
/** Shortest time between two readings of applications that other processes may have changed, milliseconds. */
const relearnMs = 2000

/**
 * Back-channel logout: tells every application that a session signed in to, once the session is over or its user may not use the
 * application any more. Logins are rows, so that none is forgotten when the service stops or is killed.
 */
export class Logouts {
  readonly #dependencies: LogoutDependencies
  readonly #open = new Map<string, OpenIdLoginRow>()
  #clients: ReadonlyMap<string, Client> = new Map()
  #learnedAt = -Infinity
  #end: AbortController | undefined
  #working: Promise<void> = Promise.resolve()
  #cancel = () => {}

  constructor(dependencies: LogoutDependencies) {
    this.#dependencies = dependencies
  }

  /** Reads who is signed in to what, and watches the sessions from then on. */
  async start(): Promise<void> {
    const { database, state } = this.#dependencies
    this.#end = new AbortController()
    await this.learnClients()
    for (const row of await store.listOpenLoginRows(database.query)) this.#open.set(nameOf(row), row)
    state.subscribe((snapshot) => {
      this.#check(snapshot)
      this.#relearn()
    })
    const snapshot = state.current()
    if (snapshot !== undefined) this.#check(snapshot)
    this.#wake()
  }

  /** Watches a login that was stored. */
  add(row: OpenIdLoginRow): void {
    this.#open.set(nameOf(row), row)
    const snapshot = this.#dependencies.state.current()
    if (snapshot !== undefined) this.#check(snapshot)
  }

  /** Reads the applications anew: one may have another address or other groups, or be gone. */
  async learnClients(): Promise<void> {
    const { clients, state, timers } = this.#dependencies
    this.#learnedAt = timers.monotonic()
    this.#clients = new Map((await clients.all()).map((client) => [client.id, client]))
    for (const [name, row] of this.#open) if (!this.#clients.has(row.client_id)) this.#open.delete(name)
    const snapshot = state.current()
    if (snapshot !== undefined) this.#check(snapshot)
  }

  /** Commands change applications beside this process, which matters while somebody is signed in to one. */
  #relearn(): void {
    const { timers } = this.#dependencies
    if (this.#open.size === 0 || timers.monotonic() - this.#learnedAt < relearnMs) return
    this.#learnedAt = timers.monotonic()
    this.#work(() => this.learnClients())
  }

  async close(): Promise<void> {
    this.#end?.abort(new Error('the service ends'))
    this.#end = undefined
    this.#cancel()
    await this.#working
  }

  #check(snapshot: PortalSnapshot): void {
    const over = [...this.#open.values()].filter((row) => this.#isOver(row, snapshot))
    if (over.length === 0 || this.#end === undefined) return
    for (const row of over) this.#open.delete(nameOf(row))
    this.#work(() => this.#finish(over))
  }

  #isOver({ session_id: sessionId, client_id: clientId }: OpenIdLoginRow, snapshot: PortalSnapshot): boolean {
    const session = snapshot.sessions.get(sessionId)
    const client = this.#clients.get(clientId)
    return session === undefined || (client !== undefined && !mayUse(client, session.user))
  }

  async #finish(rows: readonly OpenIdLoginRow[]): Promise<void> {
    const { database, timers, link } = this.#dependencies
    for (const row of rows) {
      await store.endLoginRow(database.query, row, timers.now())
      await deleteArtifactsOfGrant(database.query, hashToken(link.grantId(row.session_id, row.client_id)))
    }
    await this.#deliver()
  }

  #wake(): void {
    this.#cancel()
    this.#work(() => this.#deliver())
  }

  /** One after the other. What fails is tried again: rows stay, and so does what is not marked as over yet. */
  #work(task: () => Promise<void>): void {
    this.#working = this.#working.then(task).catch((error: unknown) => {
      const { log, timers } = this.#dependencies
      log.error({ err: error }, 'applications could not be told of sessions that ended')
      this.#cancel()
      if (this.#end !== undefined) this.#cancel = timers.after(pauses[0] ?? 0, () => void this.#recover())
    })
  }

  async #recover(): Promise<void> {
    const { database, state } = this.#dependencies
    this.#work(async () => {
      for (const row of await store.listOpenLoginRows(database.query)) this.#open.set(nameOf(row), row)
      const snapshot = state.current()
      if (snapshot !== undefined) this.#check(snapshot)
      await this.#deliver()
    })
    await this.#working
  }

  async #deliver(): Promise<void> {
    const { database, timers } = this.#dependencies
    while (this.#end !== undefined) {
      const due = await store.listDueLoginRows(database.query, timers.now(), atOnce)
      if (due.length === 0) break
      await Promise.all(due.map((row) => this.#tell(row)))
    }
    const next = this.#end === undefined ? undefined : await store.nextLoginTime(database.query)
    this.#cancel()
    if (next !== undefined) this.#cancel = timers.after(Math.max(0, next - timers.now()), () => this.#wake())
  }

  async #tell(row: OpenIdLoginRow): Promise<void> {
    const { database, timers, log, clients } = this.#dependencies
    const client = await clients.find(row.client_id)
    const failure = client === undefined ? undefined : await this.#send(client, row)
    if (failure === undefined) return store.deleteLoginRow(database.query, row)
    if (this.#end === undefined) return
    const now = timers.now()
    if (now - (row.ended_at ?? now) >= triedFor) {
      log.warn(`${client?.name ?? row.client_id} could not be told for an hour that a session ended: ${failure}`)
      return store.deleteLoginRow(database.query, row)
    }
    const pause = pauses[Math.min(row.attempts, pauses.length - 1)] ?? 0
    await store.postponeLoginRow(database.query, row, { attempts: row.attempts + 1, next_at: now + pause })
  }

  /** Returns why an application could not be told; undefined when it was, or does not want to be. */
  async #send({ backchannel_logout_uri: uri }: Client, row: OpenIdLoginRow): Promise<string | undefined> {
    if (uri === null) return undefined
    const open = createOpenGuarded(createOutboundPolicy(allowAddresses(this.#dependencies.allow, [uri])))
    try {
      // What it says beside the status is not read.
      await using answer = await open(uri, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'cache-control': 'no-store' },
        body: new URLSearchParams({ logout_token: await this.#token(row) }).toString(),
        timeoutMs,
        signal: this.#end?.signal,
      })
      return answer.status === 200 || answer.status === 204 ? undefined : `it answered ${answer.status}`
    } catch (error) {
      return error instanceof Error ? error.message : 'unknown error'
    }
  }

  #token({ issuer, user_id: sub, client_id: aud, sid }: OpenIdLoginRow): Promise<string> {
    const iat = Math.floor(this.#dependencies.timers.now() / 1000)
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    const claims = { iss: issuer, sub, aud, iat, exp: iat + 120, jti: randomUUID(), sid, events }
    return this.#dependencies.keys.sign('logout+jwt', claims)
  }
}

const nameOf = ({ session_id: session, client_id: client }: store.LoginKey): string => `${session} ${client}`
