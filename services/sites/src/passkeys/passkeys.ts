import { conflict } from '../problems.ts'
import { createChallenges } from './challenges.ts'
import { createOwnPasskeys, type OwnPasskeys } from './own-passkeys.ts'
import type { PasskeyParts } from './passkey-parts.ts'
import { createPasskeySignIn, type PasskeySignIn } from './passkey-sign-in.ts'
import { isAddress, type RelyingParty } from './relying-party.ts'

/** Passkeys: making them, keeping them, signing in with them. */
export interface Passkeys {
  readonly own: OwnPasskeys
  readonly signIn: PasskeySignIn
  /** Throws when no browser will offer a passkey under the address it has open, and says which address to use. */
  readonly checkAddress: (origin: string) => void
}

export function createPasskeys(given: Omit<PasskeyParts, 'challenges'>): Passkeys {
  const parts = { ...given, challenges: createChallenges(given.database.query, given.clock) }
  return {
    own: createOwnPasskeys(parts),
    signIn: createPasskeySignIn(parts),
    checkAddress: (origin) => checkAddress(origin, parts.relyingParty, parts.port()),
  }
}

function checkAddress(origin: string, relyingParty: RelyingParty, port: number): void {
  const { id } = relyingParty
  const host = URL.canParse(origin) ? new URL(origin).hostname : ''
  if (host === id || host.endsWith(`.${id}`)) return
  const where = relyingParty.origins(port).join(' or ')
  const reason = isAddress(host) ? 'under an IP address' : 'under this name'
  throw conflict(`Passkeys do not work ${reason}; open ${where}, or use the password`, 'passkeys_unavailable')
}
