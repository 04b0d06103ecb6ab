import {
  backOff,
  createThrottle,
  endSessionsWith,
  isPasswordOf,
  SessionStore,
  signIn,
  type Actor,
  type SessionOrigin,
  type Throttle,
} from '@hearth/accounts'
import { describeOwnSessions, nameOfSession, type OwnSession } from '@hearth/accounts/own-sessions'
import { hashPassword } from '@hearth/credentials'
import type { Kysely } from 'kysely'
import type { Clock } from '@hearth/runtime'
import type { Caller } from '../access.ts'
import { accountActor } from '../security-log/event-origin.ts'
import type { Tables } from '../tables.ts'
import { invalid, notFound } from '../problems.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { Captcha } from './captcha.ts'
import type { SignIn } from './schema.ts'

/** Absolute session lifetime, milliseconds: a day, whatever the activity. */
const maxAge = 86_400_000
/** The third wrong password for a name costs a second, each further one doubles that, up to a minute. */
const delay = backOff(3, 60)
/** Interval at which the last use of a session is stored, milliseconds. */
const useResolution = 30_000

export interface SessionDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly settings: SettingsStore
  readonly captcha: Captcha
}

/** The one account and its sessions. */
export class Sessions {
  readonly #dependencies: SessionDependencies
  readonly #store: SessionStore
  /** Wrong passwords and recovery codes. */
  readonly throttle: Throttle

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies
    const { db, clock, settings } = dependencies
    const maxIdle = () => settings.current().session_idle_minutes * 60_000
    this.#store = sessionStoreIn(db, clock, maxIdle)
    this.throttle = createThrottle(delay, clock)
  }

  /** Returns true if sign-in is required. */
  isOn(): boolean {
    return this.#dependencies.settings.current().enable_authentication
  }

  hasCredentials(): boolean {
    return this.#dependencies.settings.internal('admin_password_hash') !== undefined
  }

  /** Returns the key of a new session. Fails in the same way, after the same work, for a wrong name and a wrong password. */
  async signIn(form: SignIn, origin: SessionOrigin): Promise<string> {
    const { username, password, captcha_token, honeypot, website } = form
    const isTrapped = honeypot !== '' || (website ?? '') !== '' || !this.#dependencies.captcha.redeem(captcha_token)
    if (isTrapped) throw invalid('The form could not be accepted; load the page again and wait a second', 'trap')
    await signIn({
      throttle: this.throttle,
      key: username,
      find: () => this.#findAccount(username),
      verify: (account) => isPasswordOf(account, password),
    })
    return this.open(username, origin)
  }

  /** Opens a session of somebody who proved who they are, and returns its key. */
  async open(username: string, origin: SessionOrigin): Promise<string> {
    return (await this.#store.open(username, {}, origin)).key
  }

  /** Opens a session of the account for somebody whom an OpenID Connect provider proved; returns its key and its name. */
  async openThroughProvider({ address, userAgent }: SessionOrigin): Promise<{ key: string; username: string }> {
    const { settings } = this.#dependencies
    await settings.refresh()
    const username = settings.internal('admin_username') ?? ''
    const { key } = await this.#store.open(username, {}, { address, userAgent })
    return { key, username }
  }

  /** The user behind a key; undefined when it is unknown or ran out. */
  async identify(key: string): Promise<string | undefined> {
    return (await this.#store.use(key))?.userId
  }

  /** Resolves to true if a caller with this key, or with none, is still let in; does not prolong the session. */
  async isUsable(key: string | undefined): Promise<boolean> {
    return key === undefined ? !this.isOn() : (await this.#store.find(key)) !== undefined
  }

  /** The sessions of a user, the one with this key first. */
  async listOwn({ username, sessionKey }: Caller): Promise<OwnSession[]> {
    const current = sessionKey === undefined ? undefined : await this.#store.find(sessionKey)
    return current === undefined ? [] : describeOwnSessions(await this.#store.listOf(username), current.keyHash)
  }

  /** Ends one of the caller's sessions, and returns its name. Throws when they have none with this id, as while sign-in is off. */
  async endOwn({ username, sessionKey }: Caller, id: string): Promise<string> {
    const ended = sessionKey === undefined ? undefined : await this.#store.endOwn(username, id)
    if (ended === undefined) throw notFound('session')
    return nameOfSession(ended)
  }

  signOut(key: string): Promise<void> {
    return this.#store.end(key)
  }

  /** The account in the form it is stored in; after it is stored every session must end. */
  async credentials(username: string, password: string) {
    return { admin_username: username, admin_password_hash: await hashPassword(password) }
  }

  /** Ends the sessions with these hashes of their keys. */
  async endWith(hashes: readonly string[]): Promise<void> {
    await endSessionsWith(this.#dependencies.db, 'username', hashes)
  }

  endAll(): Promise<void> {
    return this.#store.endAll()
  }

  /** The account, when it has this name; for the security log. */
  findActor(username: string): Actor | undefined {
    return username === this.#dependencies.settings.internal('admin_username') ? accountActor(username) : undefined
  }

  /** The account, when it has this id and was set up. */
  findAccount(id: string): Actor | undefined {
    const username = this.#dependencies.settings.internal('admin_username')
    const account = username === undefined ? undefined : accountActor(username)
    return account?.userId === id ? account : undefined
  }

  async #findAccount(username: string) {
    const { settings } = this.#dependencies
    // The command line, or another process, may have set the account.
    await settings.refresh()
    const password_hash = settings.internal('admin_password_hash')
    const isUser = username === settings.internal('admin_username')
    return isUser && password_hash !== undefined ? { password_hash } : undefined
  }
}

/** The stored sessions; without `maxIdle`, milliseconds, they last a day. */
export function sessionStoreIn(db: Kysely<Tables>, clock: Clock, maxIdle?: () => number): SessionStore {
  return new SessionStore(db, clock, { owner: 'username', maxAge, ...(maxIdle && { maxIdle }), useResolution })
}
