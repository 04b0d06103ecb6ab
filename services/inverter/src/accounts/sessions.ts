import { isPasswordOf, replacePassword, signIn, type Throttle } from '@hearth/accounts'
import { createSessionKey, csrfTokenOf, hashToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { addressGroup, type AddressSet } from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import type { Caller } from '../access.ts'
import type { Tables } from '../database/tables.ts'
import { Problem } from '../problems.ts'
import { administrator, forgetPassword } from './first-password.ts'
import type { Session } from './schema.ts'
import * as store from './store.ts'

/** A session lasts twelve hours, milliseconds. */
const lifetime = 12 * 3_600_000

/** How often the last use is written down, milliseconds. */
const useResolution = 60_000

export interface SessionParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly dataDirectory: string
  readonly throttle: Throttle
  /** Addresses that may try as often as they like. */
  readonly exempt: AddressSet
  /** Ends the open streams of everyone who may have lost access. */
  readonly onAccessChanged: () => void
}

/** The administrator's way in with a browser. */
export interface Sessions {
  /** Throws the same error, in the same time, for a wrong name and for a wrong password. */
  signIn(input: { username: string; password: string; address: string }): Promise<{ key: string; session: Session }>
  identify(key: string): Promise<Caller | undefined>
  describe(key: string): Promise<Session>
  signOut(key: string): Promise<void>
  /** Ends the other sessions; this one goes on. The file of the generated password goes. */
  changePassword(key: string, input: { current: string; next: string }): Promise<Session>
}

export function createSessions(parts: SessionParts): Sessions {
  return new PasswordSessions(parts)
}

class PasswordSessions implements Sessions {
  readonly #parts: SessionParts

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  async signIn({ username, password, address }: { username: string; password: string; address: string }) {
    const { throttle, exempt } = this.#parts
    const row = await signIn({
      throttle: exempt.has(address) ? undefined : throttle,
      key: addressGroup(address),
      find: () => store.findAdministrator(this.#db, username.trim().toLowerCase()),
      verify: (found) => isPasswordOf(found, password),
    })
    return this.#open(row.password_change_required === 1)
  }

  async identify(key: string): Promise<Caller | undefined> {
    const found = await this.#valid(key)
    if (found === undefined) return undefined
    const now = this.#parts.clock.now()
    if (now - found.last_used_at > useResolution) await store.touchSession(this.#db, found.key_hash, now)
    const passwordChangeRequired = found.password_change_required === 1
    return { name: found.username, via: { kind: 'session', key, passwordChangeRequired } }
  }

  async describe(key: string): Promise<Session> {
    const found = await this.#required(key)
    const passwordChangeRequired = found.password_change_required === 1
    return describeSession(key, { createdAt: found.created_at, passwordChangeRequired })
  }

  async signOut(key: string): Promise<void> {
    await store.deleteSession(this.#db, hashToken(key))
    this.#parts.onAccessChanged()
  }

  async changePassword(key: string, change: { current: string; next: string }): Promise<Session> {
    const found = await this.#required(key)
    const password_hash = await replacePassword(found, { ...change, names: [administrator] })
    const values = { password_hash, password_change_required: 0 }
    await this.#db.transaction().execute(async (trx) => {
      await store.updateAdministrator(trx, found.username, values)
      await store.deleteOtherSessions(trx, found.username, found.key_hash)
    })
    await forgetPassword(this.#parts.dataDirectory)
    this.#parts.onAccessChanged()
    return describeSession(key, { createdAt: found.created_at, passwordChangeRequired: false })
  }

  async #open(passwordChangeRequired: boolean): Promise<{ key: string; session: Session }> {
    const key = createSessionKey()
    const now = this.#parts.clock.now()
    await store.deleteSessionsBefore(this.#db, now - lifetime)
    const row = { key_hash: hashToken(key), username: administrator, created_at: now, last_used_at: now }
    await store.insertSession(this.#db, row)
    return { key, session: describeSession(key, { createdAt: now, passwordChangeRequired }) }
  }

  async #valid(key: string) {
    const found = await store.findSession(this.#db, hashToken(key))
    return found !== undefined && found.created_at + lifetime > this.#parts.clock.now() ? found : undefined
  }

  async #required(key: string) {
    const found = await this.#valid(key)
    if (found === undefined) throw new Problem('sign_in_required', 'The session ended; sign in again')
    return found
  }

  get #db() {
    return this.#parts.database.query
  }
}

function describeSession(
  key: string,
  { createdAt, passwordChangeRequired }: { createdAt: number; passwordChangeRequired: boolean },
): Session {
  return {
    user: { id: administrator, username: administrator, role: 'admin' },
    csrf_token: csrfTokenOf(key),
    expires_at: new Date(createdAt + lifetime).toISOString(),
    password_change_required: passwordChangeRequired,
  }
}
