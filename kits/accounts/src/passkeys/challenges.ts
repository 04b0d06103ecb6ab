import { randomBytes } from 'node:crypto'
import { hashToken } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { AnyQuery } from '../any-query.ts'
import { PasskeyError } from './passkey-error.ts'
import * as store from './store.ts'
import type { ChallengeRow, PasskeyTables } from './tables.ts'

/** Time that a ceremony may take, milliseconds. */
export const challengeLifetime = 120_000

/** Challenges that may be open in one session, and in total. */
const maxPerSession = 5
const maxInTotal = 10_000

/** The ceremony and the browser that a challenge is for. */
export interface Ceremony {
  readonly kind: ChallengeRow['ceremony']
  /** Key of the session, or of the visitor, in whose browser the ceremony runs. */
  readonly key: string
  /** The user who registers; null for a sign-in. */
  readonly userId: string | null
}

/** Random challenges that authenticators sign. Each is valid once, for one ceremony of one session, for two minutes. */
export interface Challenges {
  /** Creates a challenge; deletes the oldest of a session that has too many. */
  create(ceremony: Ceremony): Promise<string>
  /** Consumes the challenge in the browser's answer. Throws when it does not belong to this ceremony. */
  consume(ceremony: Ceremony, clientDataJSON: string): Promise<string>
}

/** Creates the challenges of a service. They throw `PasskeyError`. */
export function createChallenges(query: AnyQuery, clock: Clock): Challenges {
  const db = query as Kysely<PasskeyTables>
  return {
    async create({ kind, key, userId }) {
      const now = clock.now()
      await store.deleteExpiredChallenges(db, now)
      const session_hash = hashToken(key)
      await store.keepNewestChallenges(db, session_hash, maxPerSession - 1)
      if ((await store.countChallenges(db)) >= maxInTotal)
        throw new PasskeyError(
          { kind: 'too-many-challenges', retryAfterSeconds: 60 },
          'Too many sign-ins are under way; try again in a minute',
        )
      const challenge = randomBytes(32).toString('base64url')
      const row = { challenge, ceremony: kind, session_hash, user_id: userId, expires_at: now + challengeLifetime }
      await store.insertChallengeRow(db, row)
      return challenge
    },
    async consume({ kind, key, userId }, clientDataJSON) {
      const challenge = challengeIn(clientDataJSON)
      if (challenge === undefined) throw notOpen()
      const found = await store.takeChallengeRow(db, { challenge, ceremony: kind, session_hash: hashToken(key) })
      if (found === undefined || found.user_id !== userId || found.expires_at <= clock.now()) throw notOpen()
      return challenge
    },
  }
}

const notOpen = () =>
  new PasskeyError({ kind: 'unknown-challenge' }, 'This passkey request is unknown, used or too old; start again')

/** Reads the challenge in the browser's answer; undefined when it is unreadable. */
function challengeIn(clientDataJSON: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as {
      challenge?: unknown
    }
    return typeof challenge === 'string' && challenge.length <= 100 ? challenge : undefined
  } catch {
    return undefined
  }
}
