import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openDatabase, type Database } from '@hearth/database'
import { createLog, createManualClock } from '@hearth/runtime'
import { createAuthenticator, createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { createChallenges } from './challenges.ts'
import { PasskeyError } from './passkey-error.ts'
import { Passkeys } from './passkeys.ts'
import { createPasskeyTables, type PasskeyTables } from './tables.ts'
import type { NewCredential, UsedCredential } from './verify-passkey.ts'

interface Tables extends PasskeyTables {
  users: { id: string }
}

const origin = 'https://house.example.org'
const user = {
  id: 'u1',
  username: 'maria',
  user_handle: Buffer.alloc(32, 7).toString('base64url'),
  is_active: 1,
}
const owner = { userId: user.id, key: 'session' }

/** A database with nothing but the tables of this part. */
async function openEmpty(kind: 'sqlite' | 'postgres'): Promise<Database<Tables>> {
  const database = openDatabase<Tables>(
    kind === 'sqlite' ? { file: ':memory:' } : { url: await createPostgresDatabase() },
  )
  await database.query.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .execute()
  await createPasskeyTables(database.query as never)
  await database.query.insertInto('users').values({ id: user.id }).execute()
  return database
}

async function openPasskeys(kind: 'sqlite' | 'postgres') {
  const database = await openEmpty(kind)
  const clock = createManualClock(1_800_000_000_000)
  const found = { ...user }
  const dependencies = {
    database,
    clock,
    log: createLog({ name: 'test', level: 'silent' }),
    findUser: (id: string) => Promise.resolve(id === user.id ? found : undefined),
  }
  const policy = { serviceName: 'Test', rpId: 'house.example.org', origins: () => [origin], maxPerUser: 2 }
  const passkeys = new Passkeys(dependencies, policy)
  const authenticator = createAuthenticator(origin)
  return {
    passkeys,
    clock,
    found,
    authenticator,
    register: async (made = authenticator) => {
      const credential = made.create(await passkeys.startRegistration(user, owner.key)) as NewCredential
      return passkeys.finishRegistration(owner, credential, 'Laptop')
    },
    signIn: async (options?: object) => {
      const credential = authenticator.get(options ?? (await passkeys.startSignIn('visitor'))) as UsedCredential
      return passkeys.finishSignIn(credential, 'visitor')
    },
    [Symbol.asyncDispose]: () => database.close(),
  }
}

const kindOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof PasskeyError ? error.reason.kind : String(error)),
  )

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    test('a passkey is registered, signs in, is renamed and is removed', async () => {
      await using service = await openPasskeys(kind)
      const { passkeys, register, signIn } = service
      const { id } = await register()
      assert.equal((await signIn()).username, 'maria')
      assert.equal((await passkeys.rename(user.id, id, 'Phone')).device_name, 'Phone')
      assert.deepEqual(
        (await passkeys.list(user.id)).map(({ device_name, counter }) => [device_name, counter]),
        [['Phone', 1]],
      )
      assert.equal(await kindOf(passkeys.remove(user.id, id, () => Promise.resolve(false))), 'last-sign-in-method')
      await passkeys.remove(user.id, id, () => Promise.resolve(true))
      assert.equal(await kindOf(passkeys.remove(user.id, id, () => Promise.resolve(true))), 'not-found')
      assert.equal(await kindOf(signIn()), 'sign-in-failed')
    })

    test('a disabled user, a reused challenge and an expired challenge are refused', async () => {
      await using service = await openPasskeys(kind)
      const { passkeys, register, signIn, clock, found } = service
      await register()
      const options = await passkeys.startSignIn('visitor')
      await signIn(options)
      assert.equal(await kindOf(signIn(options)), 'unknown-challenge')
      const late = await passkeys.startSignIn('visitor')
      clock.advance(120_001)
      assert.equal(await kindOf(signIn(late)), 'unknown-challenge')
      found.is_active = 0
      assert.equal(await kindOf(signIn()), 'sign-in-failed')
    })

    test('a user has at most the policy’s number of passkeys, none twice', async () => {
      await using service = await openPasskeys(kind)
      const { register, authenticator } = service
      await register()
      assert.equal(await kindOf(register(authenticator.clone())), 'already-registered')
      await register(createAuthenticator(origin))
      assert.equal(await kindOf(register(createAuthenticator(origin))), 'too-many-passkeys')
    })

    test('a page under another host name is told the URL to open', async () => {
      await using service = await openPasskeys(kind)
      const { passkeys } = service
      passkeys.checkOrigin(origin)
      passkeys.checkOrigin('https://a.house.example.org:8443')
      assert.throws(() => passkeys.checkOrigin('http://192.0.2.1'), /under an IP address; open https:\/\/house/)
      assert.throws(() => passkeys.checkOrigin('https://other.example.org'), /under this name; open https:\/\/house/)
    })

    test('at most ten thousand ceremonies are pending, and each expires after two minutes', async () => {
      const database = await openEmpty(kind)
      const { query: db } = database
      const clock = createManualClock(1_800_000_000_000)
      const challenges = createChallenges(db, clock)
      const expires_at = clock.now() + 120_000
      for (let block = 0; block < 20; block += 1) {
        const rows = Array.from({ length: 500 }, (_, index) => ({
          challenge: `${block}-${index}`,
          ceremony: 'login' as const,
          session_hash: `${block}-${index}`,
          user_id: null,
          expires_at,
        }))
        await db.insertInto('challenges').values(rows).execute()
      }
      const begin = () => challenges.create({ kind: 'login', key: 'mine', userId: null })
      await assert.rejects(begin(), /Too many sign-ins are under way/)
      clock.advance(120_001)
      assert.equal((await begin()).length, 43)
      await database.close()
    })
  })
