import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { maskEmail } from '../../settings/schema.ts'
import { freeMailDomains } from './free-mail.data.ts'
import type { SslLabsClient, SslLabsIdentity } from './ssl-labs-client.ts'
import { SslLabsError } from './ssl-labs-error.ts'
import { readFact, writeFact } from './store.ts'

/** True if we are known to SSL Labs. The address never leaves the service whole. */
export interface RegistrationStatus {
  /** As `a***@example.org`; empty when no address is set. */
  readonly maskedEmail: string
  /** Null when nobody knows: nothing was registered, or SSL Labs could not be asked. */
  readonly isRegistered: boolean | null
  readonly message: string
}

/** The address is of a provider whose addresses SSL Labs refuses; nothing was sent. */
export class FreeMailAddress extends Error {
  override readonly name = 'FreeMailAddress'
}

/** No address is set to register with. */
export class NoIdentity extends Error {
  override readonly name = 'NoIdentity'
}

/** Registering with SSL Labs. */
export interface Registration {
  status(): Promise<RegistrationStatus>
  /** Asks SSL Labs. Never throws for what it answers. */
  refresh(): Promise<RegistrationStatus>
  /**
   * Registers who is given, or who the settings name. Throws `NoIdentity`, `FreeMailAddress` unless that is confirmed, or
   * `SslLabsError`.
   */
  register(identity: SslLabsIdentity | undefined, isFreeMailConfirmed: boolean): Promise<RegistrationStatus>
}

export interface RegistrationParts {
  readonly db: Kysely<Tables>
  readonly client: SslLabsClient
  /** Returns the identity in the settings; undefined when there is none. */
  readonly identity: () => SslLabsIdentity | undefined
  /** Puts who was registered into the settings. */
  readonly keepIdentity: (identity: SslLabsIdentity) => Promise<void>
}

/** The address that was found registered, so that another address in the settings is another registration. */
const fact = 'registered_email'
const notAsked = 'SSL Labs has not been asked yet'

export function createRegistration(parts: RegistrationParts): Registration {
  return {
    status: () => statusOf(parts),
    refresh: () => refresh(parts),
    register: (identity, isFreeMailConfirmed) => register(parts, identity ?? parts.identity(), isFreeMailConfirmed),
  }
}

async function statusOf({ db, identity }: RegistrationParts): Promise<RegistrationStatus> {
  const email = identity()?.email
  if (email === undefined) return { maskedEmail: '', isRegistered: null, message: 'No e-mail address is set' }
  const isRegistered = (await readFact(db, fact)) === email
  const message = isRegistered ? 'The e-mail address is registered' : notAsked
  return { maskedEmail: maskEmail(email), isRegistered: isRegistered ? true : null, message }
}

async function refresh(parts: RegistrationParts): Promise<RegistrationStatus> {
  const { db, client, identity } = parts
  const email = identity()?.email
  if (email === undefined) return statusOf(parts)
  try {
    await client.info(email)
    await writeFact(db, fact, email)
    return await statusOf(parts)
  } catch (error) {
    if (!(error instanceof SslLabsError)) throw error
    const isKnown = error.trouble === 'not-registered'
    if (isKnown) await writeFact(db, fact, '')
    return { maskedEmail: maskEmail(email), isRegistered: isKnown ? false : null, message: error.message }
  }
}

async function register(
  parts: RegistrationParts,
  chosen: SslLabsIdentity | undefined,
  isFreeMailConfirmed: boolean,
): Promise<RegistrationStatus> {
  if (chosen === undefined) throw new NoIdentity('No e-mail address is set to register with')
  const domain = chosen.email.slice(chosen.email.lastIndexOf('@') + 1).toLowerCase()
  if (freeMailDomains.has(domain) && !isFreeMailConfirmed)
    throw new FreeMailAddress(`SSL Labs registers addresses of organisations and refuses those of ${domain}`)
  const message = await parts.client.register(chosen)
  await parts.keepIdentity(chosen)
  await writeFact(parts.db, fact, chosen.email)
  return { ...(await statusOf(parts)), message: message === '' ? 'The e-mail address is registered' : message }
}
