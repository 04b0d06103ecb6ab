import { randomBytes } from 'node:crypto'
import { hashToken } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { ChallengeRow, Tables } from '../database/tables.ts'
import { badRequest, unavailable } from '../problems.ts'
import * as store from './challenge-store.ts'

/** How long a ceremony may take, milliseconds. */
export const challengeFor = 120_000

/** Challenges that may be open in one session, and in all. */
const mostForSession = 5
const mostInAll = 10_000

/** For whom a challenge is, and for what. */
export interface Ceremony {
  readonly kind: ChallengeRow['ceremony']
  /** Key of the session, or of the visitor, in whose browser the ceremony runs. */
  readonly key: string
  /** The user who registers; null for a sign-in. */
  readonly userId: string | null
}

/** The random numbers authenticators sign: each for one ceremony of one session, once, and soon. */
export interface Challenges {
  /** A new one; the oldest of a session goes when it has too many. */
  create(ceremony: Ceremony): Promise<string>
  /** Takes the challenge out that the browser says it signed. Throws when it is not one of this ceremony. */
  consume(ceremony: Ceremony, clientDataJSON: string): Promise<string>
}

export function createChallenges(db: Kysely<Tables>, clock: Clock): Challenges {
  return {
    async create({ kind, key, userId }) {
      const now = clock.now()
      await store.deleteExpiredChallenges(db, now)
      const session_hash = hashToken(key)
      await store.keepNewestChallenges(db, session_hash, mostForSession - 1)
      if ((await store.countChallenges(db)) >= mostInAll)
        throw unavailable('Too many sign-ins are under way; try again in a minute', {
          headers: { 'retry-after': '60' },
        })
      const challenge = randomBytes(32).toString('base64url')
      const row = { challenge, ceremony: kind, session_hash, user_id: userId, expires_at: now + challengeFor }
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

const notOpen = () => badRequest('This passkey request is unknown, used or too old; start again', 'challenge')

/** What the browser says was signed; undefined when that cannot be read. */
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
