import { hashToken, type Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { parseJson, type Clock } from '@hearth/runtime'
import * as artifacts from './artifact-store.ts'
import { storeLoginRow } from './login-store.ts'
import type { LibraryAdapter } from './oidc-library.ts'
import type { PortalLink } from './portal-link.ts'
import type { OpenIdArtifactRow, OpenIdLoginRow, OpenIdProviderTables } from './tables.ts'

/** Dependencies of what the library stores. */
export interface ArtifactDependencies {
  readonly database: Database<OpenIdProviderTables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly link: PortalLink
  readonly issuer: string
  /** Creates the error of a code or token that was used before. */
  readonly alreadyUsed: () => Error
  /** Deletes what has expired, from time to time. */
  readonly tidy: () => Promise<void>
  /** Called with each sign-in to an application, once it is stored. */
  readonly onLogin: (login: OpenIdLoginRow) => void
}

/**
 * Sign-ins under way, and browsers without a session, that are kept; anybody can begin one, and older ones are lost for new ones.
 */
const maxOfVisitors = 5000
const ofVisitors: ReadonlySet<string> = new Set(['Interaction', 'Session'])
/** How often expired rows are deleted, milliseconds. */
const tidyEvery = 60_000

/** Creates the adapter of one kind of artifact. Ids are stored as hashes, everything else is sealed. */
export function createArtifactAdapter(model: string, dependencies: ArtifactDependencies): LibraryAdapter {
  const { database, sealer, clock, alreadyUsed } = dependencies
  const db = database.query
  const keyOf = (id: string) => ({ model, id_hash: hashToken(id) })
  return {
    async upsert(id, payload, expiresIn) {
      const now = clock.now()
      const row = rowOf({ ...keyOf(id), payload, expiresIn }, now, sealer)
      await dependencies.tidy()
      if (ofVisitors.has(model) && row.session_id === null)
        await artifacts.keepNewestArtifacts(db, model, maxOfVisitors - 1)
      if (model !== 'AuthorizationCode') return artifacts.storeArtifactRow(db, row)
      // An application gets a code only when it will also be told of the end of the session.
      const login = loginOf(payload, now, dependencies)
      await db.transaction().execute(async (trx) => {
        await artifacts.storeArtifactRow(trx, row)
        await storeLoginRow(trx, login)
      })
      dependencies.onLogin(login)
    },
    async find(id) {
      const row = await artifacts.findArtifactRow(db, keyOf(id), clock.now())
      if (row === undefined) return undefined
      const payload = parseJson(sealer.open(row.payload_sealed, placeOf(row))) as object
      return row.consumed_at === null ? payload : { ...payload, consumed: Math.floor(row.consumed_at / 1000) }
    },
    async consume(id) {
      const key = keyOf(id)
      if (await artifacts.consumeArtifactRow(db, key, clock.now())) return
      // Two requests at once: whoever is second may have stolen it.
      const row = await artifacts.findArtifactRow(db, key, clock.now())
      if (row !== undefined && row.grant_hash !== null) await artifacts.deleteArtifactsOfGrant(db, row.grant_hash)
      throw alreadyUsed()
    },
    destroy: (id) => artifacts.deleteArtifactRow(db, keyOf(id)),
    revokeByGrantId: (grantId) => artifacts.deleteArtifactsOfGrant(db, hashToken(grantId), model),
    findByUid: () => Promise.resolve(undefined),
    findByUserCode: () => Promise.resolve(undefined),
  }
}

const placeOf = ({ model, id_hash: hash }: artifacts.ArtifactKey): string => `openid_artifacts.payload:${model}:${hash}`

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function rowOf(
  {
    payload,
    expiresIn,
    ...key
  }: artifacts.ArtifactKey & { readonly payload: Readonly<Record<string, unknown>>; readonly expiresIn: number },
  now: number,
  sealer: Sealer,
): OpenIdArtifactRow {
  // A sign-in under way goes on when the grant ends: perhaps as another user.
  const grantId = key.model === 'Interaction' ? null : textOf(payload['grantId'])
  return {
    ...key,
    client_id: textOf(payload['clientId']),
    grant_hash: grantId === null ? null : hashToken(grantId),
    session_id: textOf(payload['sessionUid']),
    browser_hash: null,
    payload_sealed: sealer.seal(JSON.stringify(payload), placeOf(key)),
    created_at: now,
    expires_at: now + expiresIn * 1000,
    consumed_at: null,
  }
}

function loginOf(
  payload: Readonly<Record<string, unknown>>,
  now: number,
  { link, issuer }: ArtifactDependencies,
): OpenIdLoginRow {
  const [sessionId, clientId] = [String(payload['sessionUid']), String(payload['clientId'])]
  return {
    session_id: sessionId,
    client_id: clientId,
    user_id: String(payload['accountId']),
    sid: link.sid(sessionId, clientId),
    issuer,
    created_at: now,
    ended_at: null,
    attempts: 0,
    next_at: null,
  }
}

/** Creates the deletion of expired artifacts. It is done once a minute at most. */
export function createTidy({ database, clock }: Pick<ArtifactDependencies, 'database' | 'clock'>) {
  let tidiedAt = -Infinity
  return async (): Promise<void> => {
    if (clock.monotonic() - tidiedAt < tidyEvery) return
    tidiedAt = clock.monotonic()
    await artifacts.deleteExpiredArtifacts(database.query, clock.now())
  }
}
