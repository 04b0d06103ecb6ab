import {
  createSessionKey,
  csrfTokenOf,
  hashPassword,
  hashToken,
  impossiblePassword,
  passwordWeakness,
  verifyPassword,
} from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Caller, Gate } from '../access.ts'
import type { Tables } from '../database/tables.ts'
import { invalid, Problem } from '../problems.ts'
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
  /** Ends the open streams of everyone who may have lost access. */
  readonly onAccessChanged: () => void
}

/** The administrator's way in with a browser. */
export interface Sessions {
  /** Throws the same error, in the same time, for a wrong name and for a wrong password. */
  signIn(
    input: { username: string; password: string; address: string },
    gate: Pick<Gate, 'signInClosedFor' | 'noteSignIn'>,
  ): Promise<{ key: string; session: Session }>
  identify(key: string): Promise<Caller | undefined>
  describe(key: string): Promise<Session>
  signOut(key: string): Promise<void>
  /** Ends the other sessions; this one goes on. The file of the generated password goes. */
  changePassword(key: string, input: { current: string; next: string }): Promise<Session>
}

export function createSessions(parts: SessionParts): Sessions {
  const { database, clock } = parts
  const db = database.query

  async function valid(key: string) {
    const found = await store.findSession(db, hashToken(key))
    return found !== undefined && found.created_at + lifetime > clock.now() ? found : undefined
  }

  async function required(key: string) {
    const found = await valid(key)
    if (found === undefined) throw new Problem('sign_in_required', 'The session ended; sign in again')
    return found
  }

  async function openSession(passwordChangeRequired: boolean) {
    const key = createSessionKey()
    const now = clock.now()
    await store.deleteSessionsBefore(db, now - lifetime)
    await store.insertSession(db, {
      key_hash: hashToken(key),
      username: administrator,
      created_at: now,
      last_used_at: now,
    })
    return { key, session: describeSession(key, { createdAt: now, passwordChangeRequired }) }
  }

  return {
    async signIn({ username, password, address }, gate) {
      const closed = gate.signInClosedFor(address)
      if (closed > 0)
        throw new Problem('rate_limited', `Too many failed sign-ins; try again in ${closed} s`, {
          retryAfterSeconds: closed,
        })
      // Counted before the password is looked at, so that many attempts at once do not slip through together.
      gate.noteSignIn(address, false)
      const row = await store.findAdministrator(db, username.trim().toLowerCase())
      if (!(await verifyPassword(password, row?.password_hash ?? impossiblePassword)) || row === undefined)
        throw new Problem('wrong_credentials', 'The user name or the password is wrong')
      gate.noteSignIn(address, true)
      return openSession(row.password_change_required === 1)
    },
    async identify(key) {
      const found = await valid(key)
      if (found === undefined) return undefined
      const now = clock.now()
      if (now - found.last_used_at > useResolution) await store.touchSession(db, found.key_hash, now)
      const passwordChangeRequired = found.password_change_required === 1
      return { name: found.username, via: { kind: 'session', key, passwordChangeRequired } }
    },
    async describe(key) {
      const found = await required(key)
      const passwordChangeRequired = found.password_change_required === 1
      return describeSession(key, { createdAt: found.created_at, passwordChangeRequired })
    },
    async signOut(key) {
      await store.deleteSession(db, hashToken(key))
      parts.onAccessChanged()
    },
    async changePassword(key, { current, next }) {
      const found = await required(key)
      if (!(await verifyPassword(current, found.password_hash))) throw invalid('current_password', 'is not right')
      if (next === current) throw invalid('new_password', 'must differ from the present one')
      const weakness = passwordWeakness(next, [administrator])
      if (weakness !== undefined) throw invalid('new_password', weakness)
      const values = { password_hash: await hashPassword(next), password_change_required: 0 }
      await db.transaction().execute(async (trx) => {
        await store.updateAdministrator(trx, found.username, values)
        await store.deleteOtherSessions(trx, found.username, found.key_hash)
      })
      await forgetPassword(parts.dataDirectory)
      parts.onAccessChanged()
      return describeSession(key, { createdAt: found.created_at, passwordChangeRequired: false })
    },
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
