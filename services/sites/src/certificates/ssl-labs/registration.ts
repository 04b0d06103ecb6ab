import type { Kysely } from 'kysely'
import { badRequest, conflict } from '../../problems.ts'
import { maskEmail, type Settings } from '../../settings/schema.ts'
import type { CertificateTables } from '../tables.ts'
import { freeMailDomains } from './free-mail.data.ts'
import { type SslLabsClient, SslLabsError, type SslLabsIdentity } from './ssl-labs-client.ts'
import type { RegistrationStatus } from './schema.ts'
import { readFact, writeFact } from './store.ts'

/** Registration with SSL Labs. */
export type Registration = ReturnType<typeof createRegistration>

export interface RegistrationDependencies {
  readonly db: Kysely<CertificateTables>
  readonly client: SslLabsClient
  /** The settings, which hold the registered identity. */
  readonly settings: {
    current(): Pick<Settings, 'ssllabs'>
    change(changes: Pick<Settings, 'ssllabs'>): Promise<unknown>
  }
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
     * Registers the given identity, or the one in the settings. Throws a problem when there is neither, or for the address
     * of a free mail provider unless that is confirmed; otherwise `SslLabsError`.
     */
    register: (identity: SslLabsIdentity | undefined, isFreeMailConfirmed: boolean) =>
      register(dependencies, identity ?? dependencies.settings.current().ssllabs, isFreeMailConfirmed),
  }
}

async function statusOf({ db, settings }: RegistrationDependencies): Promise<RegistrationStatus> {
  const email = settings.current().ssllabs?.email
  if (email === undefined) return { masked_email: '', is_registered: null, message: 'No e-mail address is set' }
  const isRegistered = (await readFact(db, fact)) === email
  const message = isRegistered ? 'The e-mail address is registered' : notTried
  return { masked_email: maskEmail(email), is_registered: isRegistered ? true : null, message }
}

async function refresh(dependencies: RegistrationDependencies): Promise<RegistrationStatus> {
  const { db, client, settings } = dependencies
  const email = settings.current().ssllabs?.email
  if (email === undefined) return statusOf(dependencies)
  try {
    await client.info(email)
    await writeFact(db, fact, email)
    return await statusOf(dependencies)
  } catch (error) {
    if (!(error instanceof SslLabsError)) throw error
    const isKnown = error.failure === 'not-registered'
    if (isKnown) await writeFact(db, fact, '')
    return { masked_email: maskEmail(email), is_registered: isKnown ? false : null, message: error.message }
  }
}

async function register(
  dependencies: RegistrationDependencies,
  chosen: SslLabsIdentity | null,
  isFreeMailConfirmed: boolean,
): Promise<RegistrationStatus> {
  if (chosen === null) throw badRequest('No e-mail address is set to register with', 'no_email')
  const { first_name, last_name, email, organization } = chosen
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  if (freeMailDomains.has(domain) && !isFreeMailConfirmed)
    throw conflict(
      `SSL Labs registers addresses of organisations and refuses those of ${domain}; say accept_free_mail to send it nevertheless`,
      'free_mail',
    )
  const message = await dependencies.client.register(chosen)
  await dependencies.settings.change({ ssllabs: { first_name, last_name, email, organization } })
  await writeFact(dependencies.db, fact, email)
  return { ...(await statusOf(dependencies)), message: message === '' ? 'The e-mail address is registered' : message }
}
