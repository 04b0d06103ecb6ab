import { randomUUIDv7 } from 'node:crypto'
import { takeTurn, uniqueViolation } from '@hearth/database'
import { momentOf } from '@hearth/runtime'
import { generateRegistrationOptions, verifyRegistrationResponse } from '@simplewebauthn/server'
import type { Kysely } from 'kysely'
import { isRecent, reauthenticationRequired, type SessionCaller } from '../access.ts'
import { usersIn } from '../accounts/store.ts'
import { waysInTurn } from '../accounts/ways-in.ts'
import type { PasskeyRow, Tables } from '../database/tables.ts'
import { badRequest, conflict, notFound } from '../problems.ts'
import { challengeFor } from './challenges.ts'
import { keyKinds, type PasskeyParts } from './passkey-parts.ts'
import type { NewCredential, Passkey } from './schema.ts'
import * as store from './store.ts'

/** Passkeys one user may have. */
const mostPasskeys = 10

/** A user's own passkeys. */
export interface OwnPasskeys {
  list(userId: string): Promise<Passkey[]>
  /** Needs the password, unless the caller proved who they are within five minutes. */
  startRegistration(caller: SessionCaller, proof: { password: string | undefined; address: string }): Promise<object>
  finishRegistration(caller: SessionCaller, credential: NewCredential, deviceName?: string): Promise<Passkey>
  rename(userId: string, id: string, deviceName: string): Promise<Passkey>
  /** Ends the user's other sessions too: one of them may be on the device that is gone. */
  remove(caller: SessionCaller, id: string): Promise<void>
}

export function createOwnPasskeys(parts: PasskeyParts): OwnPasskeys {
  return new StoredPasskeys(parts)
}

class StoredPasskeys implements OwnPasskeys {
  readonly #parts: PasskeyParts

  constructor(parts: PasskeyParts) {
    this.#parts = parts
  }

  async list(userId: string): Promise<Passkey[]> {
    return (await store.listPasskeyRows(this.#db, userId)).map(passkeyOfRow)
  }

  async startRegistration(caller: SessionCaller, proof: { password: string | undefined; address: string }) {
    const { challenges, clock, passwords, relyingParty, sessions } = this.#parts
    if (proof.password !== undefined) await passwords.checkOwnPassword(caller, proof.password, proof.address)
    else if (!isRecent(caller, clock.now())) throw reauthenticationRequired()
    const own = await store.listPasskeyRows(this.#db, caller.userId)
    checkCount(own)
    const user = await sessions.userOf(caller.key)
    const challenge = await challenges.create({ kind: 'register', key: caller.key, userId: user.id })
    return generateRegistrationOptions({
      rpName: 'Hearth Sites',
      rpID: relyingParty.id,
      userID: Uint8Array.from(Buffer.from(user.user_handle, 'base64url')),
      userName: user.username,
      userDisplayName: user.username,
      challenge: Uint8Array.from(Buffer.from(challenge, 'base64url')),
      timeout: challengeFor,
      supportedAlgorithmIDs: keyKinds,
      attestationType: 'none',
      excludeCredentials: own.map((row) => ({ id: row.credential_id, transports: transportsOf(row) })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
  }

  async finishRegistration(caller: SessionCaller, credential: NewCredential, deviceName = 'Passkey') {
    const { challenges, database, clock, relyingParty } = this.#parts
    const ceremony = { kind: 'register', key: caller.key, userId: caller.userId } as const
    const challenge = await challenges.consume(ceremony, credential.response.clientDataJSON)
    const { credential: made, aaguid, credentialBackedUp } = await this.#verify(credential, challenge)
    const row: PasskeyRow = {
      id: randomUUIDv7(),
      user_id: caller.userId,
      rp_id: relyingParty.id,
      credential_id: made.id,
      public_key: Buffer.from(made.publicKey).toString('base64url'),
      counter: made.counter,
      device_name: deviceName,
      transports: JSON.stringify(credential.response.transports ?? []),
      aaguid,
      backed_up: Number(credentialBackedUp),
      created_at: clock.now(),
      last_used_at: null,
    }
    await this.#db.transaction().execute(async (trx) => {
      await takeTurn(database.kind, trx, waysInTurn)
      checkCount(await store.listPasskeyRows(trx, caller.userId))
      await knownAlready(() => store.insertPasskeyRow(trx, row))
    })
    return passkeyOfRow(row)
  }

  async rename(userId: string, id: string, deviceName: string): Promise<Passkey> {
    const row = await store.findPasskeyRow(this.#db, userId, id)
    if (row === undefined) throw notFound('passkey')
    await store.renamePasskeyRow(this.#db, row.id, deviceName)
    return passkeyOfRow({ ...row, device_name: deviceName })
  }

  async remove(caller: SessionCaller, id: string): Promise<void> {
    const { database, sessions, relyingParty } = this.#parts
    await this.#db.transaction().execute(async (trx) => {
      await takeTurn(database.kind, trx, waysInTurn)
      const own = await store.listPasskeyRows(trx, caller.userId)
      if (!own.some((row) => row.id === id)) throw notFound('passkey')
      const isLast = !own.some((row) => row.id !== id && row.rp_id === relyingParty.id)
      if (isLast) await checkHasPassword(trx, caller.userId)
      await store.deletePasskeyRow(trx, id)
    })
    await sessions.endOthers(caller.key)
  }

  async #verify(credential: NewCredential, challenge: string) {
    const { relyingParty, port, log } = this.#parts
    try {
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: credential as unknown as Response,
        expectedChallenge: challenge,
        expectedOrigin: [...relyingParty.origins(port())],
        expectedRPID: relyingParty.id,
        requireUserVerification: true,
        supportedAlgorithmIDs: keyKinds,
      })
      if (verified) return registrationInfo
    } catch (error) {
      log.debug({ err: error }, 'a new passkey could not be verified')
    }
    throw badRequest('The passkey could not be verified', 'passkey_invalid')
  }

  get #db(): Kysely<Tables> {
    return this.#parts.database.query
  }
}

function checkCount(own: readonly PasskeyRow[]): void {
  if (own.length >= mostPasskeys)
    throw conflict(`You have ${mostPasskeys} passkeys already; remove one first`, 'too_many_passkeys')
}

async function checkHasPassword(trx: Kysely<Tables>, userId: string): Promise<void> {
  const user = await usersIn(trx).find(userId)
  if (user?.password_hash == null)
    throw conflict('This passkey is your last way to sign in; set a password first', 'last_sign_in_method')
}

async function knownAlready(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (uniqueViolation(error)?.includes('credential_id') === true)
      throw conflict('This passkey is registered already', 'passkey_known')
    throw error
  }
}

/** The wire form of a passkey; its key and counter have no place in it. */
function passkeyOfRow(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    device_name: row.device_name,
    created_at: new Date(row.created_at).toISOString(),
    last_used_at: momentOf(row.last_used_at),
    backed_up: row.backed_up === 1,
    rp_id: row.rp_id,
    aaguid: row.aaguid,
    transports: transportsOf(row),
  }
}

const transportsOf = ({ transports }: PasskeyRow): string[] => JSON.parse(transports) as string[]

type Response = Parameters<typeof verifyRegistrationResponse>[0]['response']
