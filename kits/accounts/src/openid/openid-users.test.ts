import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openDatabase, type Database } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { UserStore, type UserRow } from '../users/store.ts'
import type { OpenIdIdentity } from './identity.ts'
import { OpenIdError, type OpenIdFailure } from './openid-error.ts'
import type { NewSecurityEvent } from '../security-log/security-event.ts'
import { signInOpenIdUser } from './openid-users.ts'
import { listOpenIdUserIds } from './store.ts'
import { createOpenIdTable, type OpenIdTables } from './tables.ts'

interface Tables extends OpenIdTables {
  users: UserRow
}

const maria: OpenIdIdentity = {
  issuer: 'https://id.example.org',
  subject: '1',
  name: 'Maria',
  username: 'maria',
  email: undefined,
  role: 'user',
}

let lastId = 0
const newRow = ({ username }: { username: string }, role: 'admin' | 'user'): UserRow => ({
  id: `u-${(lastId += 1)}`,
  username,
  role,
  password_hash: null,
  is_active: 1,
  password_change_required: 0,
  created_at: 1,
  last_login_at: null,
})

async function openUsers(kind: 'sqlite' | 'postgres') {
  const database: Database<Tables> = openDatabase<Tables>(
    kind === 'sqlite' ? { file: ':memory:' } : { url: await createPostgresDatabase() },
  )
  await database.query.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('username', 'text', (column) => column.notNull().unique())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('is_active', 'integer', (column) => column.notNull())
    .addColumn('password_change_required', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_login_at', 'bigint')
    .execute()
  await createOpenIdTable(database.query as never)
  const recorded: string[] = []
  const rules = {
    now: 1,
    newRow,
    from: { address: '127.0.0.1', userAgent: 'test' },
    securityLog: {
      record({ kind, target, detail }: NewSecurityEvent) {
        recorded.push(`${kind} ${target} ${detail}`)
        return Promise.resolve()
      },
    },
  }
  return {
    users: new UserStore<UserRow>(database.query),
    recorded,
    identities: () => listOpenIdUserIds(database.query),
    signIn: (identity: Partial<OpenIdIdentity> = {}, maxUsers = 3) =>
      signInOpenIdUser(database, { ...maria, ...identity }, { ...rules, maxUsers }),
    [Symbol.asyncDispose]: () => database.close(),
  }
}

const refused = (reason: OpenIdFailure) => (error: unknown) => error instanceof OpenIdError && error.reason === reason

for (const kind of ['sqlite', 'postgres'] as const) {
  const skip = kind === 'postgres' ? (postgresObstacle() ?? false) : false
  describe(`people of a provider on ${kind}`, { skip }, () => {
    test('the first sign-in makes a user, later ones find it by its subject whatever it is called', async () => {
      await using place = await openUsers(kind)
      const first = await place.signIn()
      assert.deepEqual([first.change, first.user.username, first.user.role], ['created', 'maria', 'user'])
      const again = await place.signIn({ username: 'renamed' })
      assert.deepEqual([again.change, again.user.id, again.user.username], [undefined, first.user.id, 'maria'])
      const other = await place.signIn({ subject: '2', username: 'zoe' })
      assert.equal(other.change, 'created')
      assert.deepEqual(await place.identities(), new Set([first.user.id, other.user.id]))
    })

    test('a name that a user here has is refused, whoever has it', async () => {
      await using place = await openUsers(kind)
      await place.users.insert(newRow({ username: 'admin' }, 'admin'))
      await assert.rejects(place.signIn({ username: 'admin', role: 'admin' }), refused('openid_name_taken'))
      await place.signIn()
      await assert.rejects(place.signIn({ subject: '2' }), refused('openid_name_taken'))
      await assert.rejects(place.signIn({ issuer: 'https://evil.example' }), refused('openid_name_taken'))
      assert.equal((await place.identities()).size, 1)
    })

    test('the role follows the groups, but the last administrator stays one', async () => {
      await using place = await openUsers(kind)
      assert.equal((await place.signIn({ role: 'admin' })).user.role, 'admin')
      const kept = await place.signIn({ role: 'user' })
      assert.deepEqual([kept.user.role, kept.change], ['admin', undefined])
      await place.users.insert(newRow({ username: 'second' }, 'admin'))
      const demoted = await place.signIn({ role: 'user' })
      assert.deepEqual([demoted.user.role, demoted.change], ['user', 'role'])
      assert.equal((await place.signIn({ role: undefined })).user.role, 'user')
      assert.equal((await place.signIn({ role: 'admin' })).change, 'role')
      assert.deepEqual(place.recorded, [
        'user_created maria role: admin',
        'rights_changed maria role: user',
        'rights_changed maria role: admin',
      ])
    })

    test('nobody has to change a password: a temporary one ends, and one of their own stays', async () => {
      await using place = await openUsers(kind)
      const { user } = await place.signIn()
      await place.users.update(user.id, { password_hash: 'own' })
      await place.signIn()
      assert.equal((await place.users.find(user.id))?.password_hash, 'own')
      await place.users.update(user.id, { password_hash: 'temporary', password_change_required: 1 })
      await place.signIn()
      const { password_hash: hash, password_change_required: isRequired } = (await place.users.find(user.id)) ?? user
      assert.deepEqual([hash, isRequired], [null, 0])
    })

    test('a disabled user is refused, and the number of users has a bound', async () => {
      await using place = await openUsers(kind)
      const { user } = await place.signIn()
      await place.users.update(user.id, { is_active: 0 })
      await assert.rejects(place.signIn(), refused('disabled_account'))
      await assert.rejects(place.signIn({ subject: '2', username: 'zoe' }, 1), refused('openid_too_many_users'))
    })

    test('two first sign-ins at once make one user, and a deleted one is made anew', async () => {
      await using place = await openUsers(kind)
      const [one, two] = await Promise.all([place.signIn(), place.signIn()])
      assert.equal(one?.user.id, two?.user.id)
      await place.users.delete(one?.user.id ?? '')
      assert.equal((await place.signIn()).change, 'created')
    })
  })
}
