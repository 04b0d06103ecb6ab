import { uniqueViolation, type Database } from '@hearth/database'
import type { AnyQuery } from '../any-query.ts'
import type { SecurityLog } from '../security-log/security-log.ts'
import type { RequestOrigin } from '../security-log/security-event.ts'
import { changeUsers, isLastAdministrator } from '../users/change-users.ts'
import { UserStore, type UserRow } from '../users/store.ts'
import type { OpenIdIdentity } from './identity.ts'
import { OpenIdError } from './openid-error.ts'
import * as store from './store.ts'

/** Rules of a service for the users that a provider brings. */
export interface OpenIdUserRules<Row extends UserRow> {
  readonly now: number
  readonly securityLog: Pick<SecurityLog, 'record'>
  readonly from: RequestOrigin
  /** Returns the row of a new user. It has no password that anybody knows. */
  readonly newRow: (identity: OpenIdIdentity, role: 'admin' | 'user') => Promise<Row> | Row
  readonly maxUsers?: number
  /** Throws for a user whom the service does not let in; before anything about the user is changed. */
  readonly checkUser?: (user: Row) => void
}

/** The user that a person is here. */
export interface SignedInUser<Row extends UserRow> {
  readonly user: Row
  /** What the sign-in changed: the user is new, or has another role. */
  readonly change: 'created' | 'role' | undefined
}

/** Signs a person in as `findOrAddUser` does, and records what that changed. */
export async function signInOpenIdUser<Row extends UserRow, Tables>(
  database: Database<Tables>,
  identity: OpenIdIdentity,
  rules: OpenIdUserRules<Row>,
): Promise<SignedInUser<Row>> {
  const signedIn = await findOrAddUser(database, identity, rules)
  const { user, change } = signedIn
  if (change !== undefined)
    await rules.securityLog.record({
      kind: change === 'created' ? 'user_created' : 'rights_changed',
      by: { userId: user.id, username: user.username },
      from: rules.from,
      method: 'openid',
      target: user.username,
      detail: `role: ${user.role}`,
    })
  return signedIn
}

/**
 * Finds the user of a person by issuer and subject, or makes one. A name that a user here has already is refused: who controls
 * names at the provider must not become somebody else. The role follows the groups, but the last administrator stays one.
 */
async function findOrAddUser<Row extends UserRow, Tables>(
  database: Database<Tables>,
  identity: OpenIdIdentity,
  rules: OpenIdUserRules<Row>,
): Promise<SignedInUser<Row>> {
  const known = await findUser<Row>(database.query, identity)
  // Made before the transaction, which is to be short: a hash takes its time.
  const isNeeded = known === undefined || known.password_change_required === 1
  const row = isNeeded ? await rules.newRow(identity, identity.role ?? 'user') : undefined
  return changeUsers(database, async (trx) => {
    const user = await findUser<Row>(trx, identity)
    if (user !== undefined) {
      rules.checkUser?.(user)
      return updateUser(trx, user, { identity, password: row?.password_hash })
    }
    // Deleted between the two looks; the next sign-in makes the user anew.
    if (row === undefined) throw new OpenIdError('openid_expired', 'the user was deleted meanwhile')
    await addUser(trx, { identity, row, rules })
    return { user: row, change: 'created' }
  })
}

async function findUser<Row extends UserRow>(query: AnyQuery, identity: OpenIdIdentity): Promise<Row | undefined> {
  const id = await store.findOpenIdUserId(query, identity)
  return id === undefined ? undefined : new UserStore<Row>(query).find(id)
}

/** @param change.password hash of a password that nobody knows; undefined when the user's need not be replaced */
async function updateUser<Row extends UserRow>(
  trx: AnyQuery,
  user: Row,
  { identity: { role, name }, password }: { identity: OpenIdIdentity; password: Row['password_hash'] | undefined },
): Promise<SignedInUser<Row>> {
  if (user.is_active === 0) throw new OpenIdError('disabled_account', 'the user is disabled here', { person: name })
  const isOther = role !== undefined && role !== user.role && !(await isLastAdministrator(trx, user.id))
  // Nobody asks them for a password, so nobody asks them to change it: a temporary one, which others know, ends instead.
  const isTemporary = user.password_change_required === 1 && password !== undefined
  const values = {
    ...(isTemporary && { password_hash: password, password_change_required: 0 }),
    ...(isOther && { role }),
  }
  if (isTemporary || isOther) await new UserStore<UserRow>(trx).update(user.id, values)
  return { user: { ...user, ...values }, change: isOther ? 'role' : undefined }
}

interface Addition<Row extends UserRow> {
  readonly identity: OpenIdIdentity
  readonly row: Row
  readonly rules: OpenIdUserRules<Row>
}

async function addUser<Row extends UserRow>(trx: AnyQuery, { identity, row, rules }: Addition<Row>): Promise<void> {
  const { issuer, subject, name: person } = identity
  const { now, maxUsers = Infinity } = rules
  const users = new UserStore<Row>(trx)
  if ((await users.count()) >= maxUsers)
    throw new OpenIdError('openid_too_many_users', `there are ${maxUsers} users already`, { person })
  const taken = new OpenIdError(
    'openid_name_taken',
    `another user has the name ${row.username} or the same e-mail address`,
    {
      person,
    },
  )
  if ((await users.findByName(row.username)) !== undefined) throw taken
  try {
    await users.insert(row)
  } catch (error) {
    throw uniqueViolation(error) === undefined ? error : taken
  }
  await store.insertOpenIdIdentity(trx, { issuer, subject, user_id: row.id, created_at: now })
}
