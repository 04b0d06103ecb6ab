import { randomUUIDv7 } from 'node:crypto'
import { uniqueViolation, type Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import type { AnyQuery } from '../any-query.ts'
import { changeSignInMethods } from '../users/change-users.ts'
import { challengeLifetime, createChallenges, type Challenges } from './challenges.ts'
import { PasskeyError } from './passkey-error.ts'
import { isAddress } from './relying-party.ts'
import { transportsOf } from './schema.ts'
import * as store from './store.ts'
import type { PasskeyRow, PasskeyTables } from './tables.ts'
import {
  createDecoyKey,
  keyKinds,
  loadWebAuthn,
  verifyNewCredential,
  verifyUsedCredential,
  type Expected,
  type NewCredential,
  type UsedCredential,
} from './verify-passkey.ts'

/** Policy of a service for its passkeys. */
export interface PasskeyPolicy {
  /** Name of the service, which authenticators show. */
  readonly serviceName: string
  /** Host name that the passkeys belong to; see `readRelyingParty`. */
  readonly rpId: string
  /** Origins of the pages that may use them. */
  readonly origins: () => readonly string[]
  readonly maxPerUser: number
}

/** The members of a user that passkeys need. */
export interface PasskeyUser {
  readonly id: string
  readonly username: string
  /** Name of the user for authenticators: 32 random bytes in base64url. */
  readonly user_handle: string
  /** 0 for a disabled user. */
  readonly is_active: number
}

/** Dependencies of the passkeys: the database, and the look-up of users. */
export interface PasskeyDependencies<User extends PasskeyUser> {
  readonly database: Pick<Database<unknown>, 'kind'> & { readonly query: AnyQuery }
  readonly clock: Clock
  readonly log: Log
  readonly findUser: (id: string) => Promise<User | undefined>
}

/** Passkeys (WebAuthn credentials) of users: registration, sign-in, and the list of one's own. Throws `PasskeyError`. */
export class Passkeys<User extends PasskeyUser> {
  readonly #database: Database<PasskeyTables>
  readonly #clock: Clock
  readonly #log: Log
  readonly #findUser: (id: string) => Promise<User | undefined>
  readonly #policy: PasskeyPolicy
  readonly #challenges: Challenges
  readonly #decoyKey = createDecoyKey()

  constructor({ database, clock, log, findUser }: PasskeyDependencies<User>, policy: PasskeyPolicy) {
    this.#database = database as Database<PasskeyTables>
    this.#clock = clock
    this.#log = log
    this.#findUser = findUser
    this.#policy = policy
    this.#challenges = createChallenges(database.query, clock)
  }

  /** Throws when no browser will offer a passkey to a page of this origin, and says which address to open. */
  checkOrigin(origin: string): void {
    const { rpId, origins } = this.#policy
    const host = URL.canParse(origin) ? new URL(origin).hostname : ''
    if (host === rpId || host.endsWith(`.${rpId}`)) return
    const where = origins().join(' or ')
    const reason = isAddress(host) ? 'under an IP address' : 'under this name'
    const message = `Passkeys do not work ${reason}; open ${where}, or use the password`
    throw new PasskeyError({ kind: 'wrong-address' }, message)
  }

  list(userId: string): Promise<PasskeyRow[]> {
    return store.listPasskeyRows(this.#db, userId)
  }

  /**
   * Returns the options for `navigator.credentials.create`. Whether the user may register one now is the caller's check.
   *
   * @param key of the session in whose browser it happens
   */
  async startRegistration(user: PasskeyUser, key: string) {
    const own = await this.list(user.id)
    this.#checkCount(own)
    const challenge = await this.#challenges.create({ kind: 'register', key, userId: user.id })
    const { generateRegistrationOptions } = await loadWebAuthn()
    return generateRegistrationOptions({
      rpName: this.#policy.serviceName,
      rpID: this.#policy.rpId,
      userID: Uint8Array.from(Buffer.from(user.user_handle, 'base64url')),
      userName: user.username,
      userDisplayName: user.username,
      challenge: Uint8Array.from(Buffer.from(challenge, 'base64url')),
      timeout: challengeLifetime,
      supportedAlgorithmIDs: keyKinds,
      attestationType: 'none',
      excludeCredentials: own.map((row) => ({ id: row.credential_id, transports: transportsOf(row) })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
  }

  /** Verifies and stores a new passkey. `owner` is the user and the session that started the registration. */
  async finishRegistration(
    owner: { readonly userId: string; readonly key: string },
    credential: NewCredential,
    deviceName: string,
  ): Promise<PasskeyRow> {
    const { userId } = owner
    const challenge = await this.#challenges.consume(
      { kind: 'register', key: owner.key, userId },
      credential.response.clientDataJSON,
    )
    const verified = await verifyNewCredential(credential, this.#expected(challenge))
    if (verified === undefined)
      throw new PasskeyError({ kind: 'invalid-registration' }, 'The passkey could not be verified')
    const { credential: made, aaguid, credentialBackedUp } = verified
    const row: PasskeyRow = {
      id: randomUUIDv7(),
      user_id: userId,
      rp_id: this.#policy.rpId,
      credential_id: made.id,
      public_key: Buffer.from(made.publicKey).toString('base64url'),
      counter: made.counter,
      device_name: deviceName,
      transports: JSON.stringify(credential.response.transports ?? []),
      aaguid,
      backed_up: Number(credentialBackedUp),
      created_at: this.#clock.now(),
      last_used_at: null,
    }
    await changeSignInMethods(this.#database, async (trx) => {
      this.#checkCount(await store.listPasskeyRows(trx, userId))
      await insertOnce(() => store.insertPasskeyRow(trx, row))
    })
    return row
  }

  async rename(userId: string, id: string, deviceName: string): Promise<PasskeyRow> {
    const row = await store.findPasskeyRow(this.#db, userId, id)
    if (row === undefined) throw notFound()
    await store.renamePasskeyRow(this.#db, row.id, deviceName)
    return { ...row, device_name: deviceName }
  }

  /**
   * Deletes a passkey, and returns its name.
   *
   * @param canSignInWithout whether the user has another sign-in method, as the transaction sees it
   */
  async remove(userId: string, id: string, canSignInWithout: (trx: AnyQuery) => Promise<boolean>): Promise<string> {
    return changeSignInMethods(this.#database, async (trx) => {
      const own = await store.listPasskeyRows(trx, userId)
      const passkey = own.find((row) => row.id === id)
      if (passkey === undefined) throw notFound()
      const isLast = !own.some((row) => row.id !== id && row.rp_id === this.#policy.rpId)
      if (isLast && !(await canSignInWithout(trx)))
        throw new PasskeyError(
          { kind: 'last-sign-in-method' },
          'This passkey is your last way to sign in; set a password first',
        )
      await store.deletePasskeyRow(trx, id)
      return passkey.device_name
    })
  }

  /**
   * Returns the options for `navigator.credentials.get`, for any passkey of this service, so that no name is asked for.
   *
   * @param key of the session or the visitor in whose browser it happens
   */
  async startSignIn(key: string): Promise<Record<string, unknown>> {
    const challenge = await this.#challenges.create({ kind: 'login', key, userId: null })
    const { generateAuthenticationOptions } = await loadWebAuthn()
    const options = await generateAuthenticationOptions({
      rpID: this.#policy.rpId,
      challenge: Buffer.from(challenge, 'base64url'),
      userVerification: 'required',
      timeout: challengeLifetime,
      allowCredentials: [],
    })
    return { ...options }
  }

  /** Finds out whose passkey signed. Every refusal takes about the same time; the error says why, for the security log. */
  async finishSignIn(credential: UsedCredential, key: string): Promise<User> {
    const ceremony = { kind: 'login', key, userId: null } as const
    const challenge = await this.#challenges.consume(ceremony, credential.response.clientDataJSON)
    const passkey = await store.findPasskeyRowByCredential(this.#db, credential.id)
    const user = await this.#findUser(passkey?.user_id ?? '')
    const publicKey =
      passkey === undefined ? this.#decoyKey : Uint8Array.from(Buffer.from(passkey.public_key, 'base64url'))
    const verified = await verifyUsedCredential(credential, publicKey, this.#expected(challenge))
    // Only the holder of a credential knows its id, so this reveals nothing.
    if (passkey === undefined) throw signInFailed({ failure: 'invalid_passkey', isUnknown: true })
    if (verified === undefined || user === undefined) throw signInFailed({ failure: 'invalid_passkey' })
    const { username } = user
    // A passkey that signs in without a user name carries its user's handle.
    if (credential.response.userHandle !== user.user_handle)
      throw signInFailed({ failure: 'invalid_passkey', username })
    if (user.is_active !== 1) throw signInFailed({ failure: 'disabled_account', username })
    const use = { counter: verified.newCounter, at: this.#clock.now(), backedUp: verified.credentialBackedUp }
    if (!(await store.usePasskeyRow(this.#db, passkey.id, use)))
      throw signInFailed({ failure: 'possible_clone', username })
    return user
  }

  #expected(challenge: string): Expected {
    return { challenge, rpId: this.#policy.rpId, origins: this.#policy.origins(), log: this.#log }
  }

  #checkCount(own: readonly PasskeyRow[]): void {
    const max = this.#policy.maxPerUser
    if (own.length >= max)
      throw new PasskeyError({ kind: 'too-many-passkeys' }, `You have ${max} passkeys already; remove one first`)
  }

  get #db() {
    return this.#database.query
  }
}

const notFound = () => new PasskeyError({ kind: 'not-found' }, 'There is no such passkey')

function signInFailed(failure: Omit<Extract<PasskeyError['reason'], { kind: 'sign-in-failed' }>, 'kind'>) {
  return new PasskeyError({ kind: 'sign-in-failed', ...failure }, 'The passkey was not accepted')
}

async function insertOnce(insert: () => Promise<void>): Promise<void> {
  try {
    await insert()
  } catch (error) {
    if (uniqueViolation(error)?.includes('credential_id') === true)
      throw new PasskeyError({ kind: 'already-registered' }, 'This passkey is registered already')
    throw error
  }
}
