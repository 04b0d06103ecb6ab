import { backOff, createThrottle, isPasswordOf, signIn, type Throttle } from '@hearth/accounts'
import { createSessionKey, hashPassword, hashToken } from '@hearth/credentials'
import type { Kysely } from 'kysely'
import type { Clock } from '@hearth/runtime'
import type { Tables } from '../database/tables.ts'
import { invalid } from '../problems.ts'
import type { SettingsKeeper } from '../settings/settings.ts'
import type { Captcha } from './captcha.ts'
import type { SignIn } from './schema.ts'
import * as store from './store.ts'

/** However busy, a session ends after a day. */
const longestSession = 86_400_000
/** The third wrong password for a name costs a second, each further one doubles that, up to a minute. */
const delay = backOff(3, 60)
/** How often the last use is written down, milliseconds. */
const useResolution = 30_000

/** The one account and its sessions. */
export interface Sessions {
  /** Whether sign-in is asked for. */
  isOn(): boolean
  hasCredentials(): boolean
  /** Returns the key of a new session. Fails in the same way, after the same work, for a wrong name and a wrong password. */
  signIn(input: SignIn): Promise<string>
  /** The user behind a key; undefined when it is unknown or ran out. */
  identify(key: string): Promise<string | undefined>
  /** As `identify`, without prolonging the session. */
  isUsable(key: string): Promise<boolean>
  signOut(key: string): Promise<void>
  /** Sets the account; every session ends. Returns what is to be stored. */
  credentials(username: string, password: string): Promise<{ admin_username: string; admin_password_hash: string }>
  endAll(): Promise<void>
}

export interface SessionParts {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly settings: SettingsKeeper
  readonly captcha: Captcha
}

export function createSessions(parts: SessionParts): Sessions {
  return new AccountSessions(parts)
}

class AccountSessions implements Sessions {
  readonly #parts: SessionParts
  readonly #throttle: Throttle

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#throttle = createThrottle(delay, parts.clock)
  }

  isOn(): boolean {
    return this.#parts.settings.current().enable_authentication
  }

  hasCredentials(): boolean {
    return this.#parts.settings.internal('admin_password_hash') !== undefined
  }

  async signIn({ username, password, captcha_token, honeypot, website }: SignIn): Promise<string> {
    const isTrapped = honeypot !== '' || (website ?? '') !== '' || !this.#parts.captcha.redeem(captcha_token)
    if (isTrapped) throw invalid('The form could not be accepted; load the page again and wait a second', 'trap')
    await signIn({
      throttle: this.#throttle,
      key: username,
      find: () => this.#findAccount(username),
      verify: (account) => isPasswordOf(account, password),
    })
    const { db, clock } = this.#parts
    const now = clock.now()
    await store.deleteStaleSessions(db, { lastUsed: now - this.#idle, created: now - longestSession })
    const key = createSessionKey()
    await store.insertSession(db, { key_hash: hashToken(key), username, created_at: now, last_used_at: now })
    return key
  }

  async #findAccount(username: string) {
    const { settings } = this.#parts
    // The command line, or another process, may have set the account.
    await settings.refresh()
    const password_hash = settings.internal('admin_password_hash')
    const isUser = username === settings.internal('admin_username')
    return isUser && password_hash !== undefined ? { password_hash } : undefined
  }

  async identify(key: string): Promise<string | undefined> {
    const row = await this.#valid(key)
    const now = this.#parts.clock.now()
    if (row !== undefined && now - row.last_used_at > useResolution)
      await store.touchSession(this.#parts.db, row.key_hash, now)
    return row?.username
  }

  async isUsable(key: string): Promise<boolean> {
    return (await this.#valid(key)) !== undefined
  }

  async signOut(key: string): Promise<void> {
    await store.deleteSession(this.#parts.db, hashToken(key))
  }

  async credentials(username: string, password: string) {
    return { admin_username: username, admin_password_hash: await hashPassword(password) }
  }

  async endAll(): Promise<void> {
    await store.deleteAllSessions(this.#parts.db)
  }

  async #valid(key: string) {
    const row = await store.findSession(this.#parts.db, hashToken(key))
    if (row === undefined) return undefined
    const end = Math.min(row.last_used_at + this.#idle, row.created_at + longestSession)
    return end > this.#parts.clock.now() ? row : undefined
  }

  get #idle(): number {
    return this.#parts.settings.current().session_idle_minutes * 60_000
  }
}
