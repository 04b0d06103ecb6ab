import type { Kysely } from 'kysely'
import type { CertificateTables } from '../tables.ts'
import { maskEmail } from '../../settings/schema.ts'
import { freeMailDomains } from './free-mail.data.ts'
import { type SslLabsClient, SslLabsError, type SslLabsIdentity } from './ssl-labs-client.ts'
import { readFact, writeFact } from './store.ts'

/** State of the registration with SSL Labs. The e-mail address is always masked. */
export interface RegistrationStatus {
  /** As `a***@example.org`; empty when no address is set. */
  readonly maskedEmail: string
  /** Null when it is unknown: nothing was registered, or SSL Labs did not answer. */
  readonly isRegistered: boolean | null
  readonly message: string
}

/** Error for an address at a free mail provider, which SSL Labs refuses; nothing was sent. */
export class FreeMailAddress extends Error {
  override readonly name = 'FreeMailAddress'
}

/** Error for a registration without an e-mail address. */
export class NoIdentity extends Error {
  override readonly name = 'NoIdentity'
}

/** Registration with SSL Labs. */
export type Registration = ReturnType<typeof createRegistration>

export interface RegistrationDependencies {
  readonly db: Kysely<CertificateTables>
  readonly client: SslLabsClient
  /** Returns the identity in the settings; undefined when there is none. */
  readonly identity: () => SslLabsIdentity | undefined
  /** Stores the registered identity in the settings. */
  readonly keepIdentity: (identity: SslLabsIdentity) => Promise<void>
}

/** Name of the fact that holds the registered address; another address in the settings is not registered. */
const fact = 'registered_email'
const notTried = 'SSL Labs has not been asked yet'

/** Creates the registration; `status` reads the stored state, without a request to SSL Labs. */
export function createRegistration(dependencies: RegistrationDependencies) {
  return {
    status: () => statusOf(dependencies),
    /** Requests the state from SSL Labs. An `SslLabsError` becomes the message of the status. */
    refresh: () => refresh(dependencies),
    /**
     * Registers the given identity, or the one in the settings. Throws `NoIdentity`, `FreeMailAddress` unless that is
     * confirmed, or `SslLabsError`.
     */
    register: (identity: SslLabsIdentity | undefined, isFreeMailConfirmed: boolean) =>
      register(dependencies, identity ?? dependencies.identity(), isFreeMailConfirmed),
  }
}

async function statusOf({ db, identity }: RegistrationDependencies): Promise<RegistrationStatus> {
  const email = identity()?.email
  if (email === undefined) return { maskedEmail: '', isRegistered: null, message: 'No e-mail address is set' }
  const isRegistered = (await readFact(db, fact)) === email
  const message = isRegistered ? 'The e-mail address is registered' : notTried
  return { maskedEmail: maskEmail(email), isRegistered: isRegistered ? true : null, message }
}

async function refresh(dependencies: RegistrationDependencies): Promise<RegistrationStatus> {
  const { db, client, identity } = dependencies
  const email = identity()?.email
  if (email === undefined) return statusOf(dependencies)
  try {
    await client.info(email)
    await writeFact(db, fact, email)
    return await statusOf(dependencies)
  } catch (error) {
    if (!(error instanceof SslLabsError)) throw error
    const isKnown = error.failure === 'not-registered'
    if (isKnown) await writeFact(db, fact, '')
    return { maskedEmail: maskEmail(email), isRegistered: isKnown ? false : null, message: error.message }
  }
}

async function register(
  dependencies: RegistrationDependencies,
  chosen: SslLabsIdentity | undefined,
  isFreeMailConfirmed: boolean,
): Promise<RegistrationStatus> {
  if (chosen === undefined) throw new NoIdentity('No e-mail address is set to register with')
  const domain = chosen.email.slice(chosen.email.lastIndexOf('@') + 1).toLowerCase()
  if (freeMailDomains.has(domain) && !isFreeMailConfirmed)
    throw new FreeMailAddress(`SSL Labs registers addresses of organisations and refuses those of ${domain}`)
  const message = await dependencies.client.register(chosen)
  await dependencies.keepIdentity(chosen)
  await writeFact(dependencies.db, fact, chosen.email)
  return { ...(await statusOf(dependencies)), message: message === '' ? 'The e-mail address is registered' : message }
}
