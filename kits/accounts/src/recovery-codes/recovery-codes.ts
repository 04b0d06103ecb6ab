import { randomBytes } from 'node:crypto'
import { hashToken } from '@hearth/credentials'
import type { AnyQuery } from '../any-query.ts'
import * as store from './store.ts'

/** Policy of a service for its recovery codes. */
export interface RecoveryCodePolicy {
  /** Number of codes per set. */
  readonly count: number
}

/** One-time sign-in codes for a user who lost the password and passkeys. Only their hashes are stored. */
export interface RecoveryCodes {
  /** Creates new codes and replaces the old ones. */
  create(userId: string): Promise<string[]>
  /** Consumes a code; false when the user has no such code. Takes the same time for an unknown user. */
  use(userId: string | undefined, code: string): Promise<boolean>
  count(userId: string): Promise<number>
}

/** Creates the recovery codes of a service. */
export function createRecoveryCodes(query: AnyQuery, policy: RecoveryCodePolicy): RecoveryCodes {
  const db = store.recoveryCodesIn(query)
  return {
    async create(userId) {
      const codes = Array.from({ length: policy.count }, createCode)
      await db.transaction().execute((trx) => store.replaceRecoveryCodeRows(trx, userId, codes.map(hashCode)))
      return codes
    },
    use: (userId = '', code) => store.takeRecoveryCodeRow(db, userId, hashCode(code)),
    count: (userId) => store.countRecoveryCodeRows(db, userId),
  }
}

/** Deletes the codes of a user; within a transaction that changes the user. */
export async function deleteRecoveryCodesOf(trx: AnyQuery, userId: string): Promise<void> {
  await store.replaceRecoveryCodeRows(store.recoveryCodesIn(trx), userId, [])
}

/** Makes sixteen letters and digits in groups of four: 80 random bits, without the pairs people mix up. */
function createCode(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  const text = Array.from(randomBytes(16), (byte) => letters[byte % letters.length]).join('')
  return text.replaceAll(/.{4}(?=.)/g, '$&-')
}

/** Hashes a code however it was typed: without blanks and hyphens, in any case. */
const hashCode = (code: string): string => hashToken(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
