import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '@hearth/runtime'
import type { ConnectRequest } from './connect-request.ts'

/** What an administrator allowed. */
export interface Permission {
  readonly request: ConnectRequest
  /** Groups that may sign in there; `everybody` for all who can sign in at the portal. */
  readonly allowed: readonly string[] | 'everybody'
  readonly admins: readonly string[]
  readonly by: { readonly userId: string; readonly username: string }
}

/** Time in which a code is used, milliseconds, and how many may wait. */
const codeLifetime = 120_000
const maxCodes = 100

/** Single-use codes with which a service registers itself. */
export type ConnectCodes = ReturnType<typeof createConnectCodes>

/** Creates the codes. Only their hashes are kept, in memory; when too many wait, the oldest are lost. */
export function createConnectCodes(clock: Clock) {
  const waiting = new Map<string, { readonly permission: Permission; readonly endsAt: number }>()
  return {
    create(permission: Permission): string {
      for (const [hash, { endsAt }] of waiting) {
        if (endsAt > clock.monotonic() && waiting.size < maxCodes) break
        waiting.delete(hash)
      }
      const code = randomBytes(32).toString('base64url')
      waiting.set(hashOf(code), { permission, endsAt: clock.monotonic() + codeLifetime })
      return code
    },
    /** Returns what a code permits, once, to whoever knows the secret behind its challenge. */
    take(code: string, verifier: string): Permission | undefined {
      const hash = hashOf(code)
      const found = waiting.get(hash)
      waiting.delete(hash)
      if (found === undefined || found.endsAt <= clock.monotonic()) return undefined
      return hashOf(verifier) === found.permission.request.codeChallenge ? found.permission : undefined
    },
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
