import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { createManualClock } from '@hearth/runtime'
import { onBothDatabases } from '../../test/on-both-databases.ts'
import { SigningKeys } from './signing-keys.ts'

const day = 86_400_000
const sealer = createSealer(new Uint8Array(32))

onBothDatabases(async (database, name) => {
  const clock = createManualClock(1_900_000_000_000)
  const open = () => new SigningKeys({ database, sealer, clock })
  const states = async (keys: SigningKeys) => (await keys.list()).map(({ state }) => state)

  await test(`${name}: a key is published before it signs, and for a day afterwards`, async () => {
    const keys = open()
    const first = await keys.current()
    assert.deepEqual(await states(keys), ['signing', 'next'])
    const [, next] = first.keys
    clock.advance(89 * day)
    assert.equal((await keys.current()).name, first.name)
    clock.advance(2 * day)
    const second = await keys.current()
    assert.equal(second.signing.kid, next?.kid, 'the one that was published signs')
    assert.deepEqual(await states(keys), ['previous', 'signing', 'next'])
    assert.ok(second.keys.some(({ kid }) => kid === first.signing.kid))
    clock.advance(day + 60_000)
    const third = await keys.current()
    assert.ok(!third.keys.some(({ kid }) => kid === first.signing.kid))
    assert.equal(third.signing.kid, second.signing.kid)
  })

  await test(`${name}: rotated by hand the next key signs at once, also after a restart and elsewhere`, async () => {
    const [keys, other] = [open(), open()]
    const before = await keys.current()
    assert.equal((await other.current()).name, before.name)
    await keys.rotate()
    const after = await keys.current()
    assert.equal(after.signing.kid, before.keys.at(1)?.kid)
    assert.equal((await open().current()).name, after.name)
    clock.advance(60_000)
    assert.equal((await other.current()).name, after.name, 'another process learns of it')
  })

  await test(`${name}: keys that are wanted at the same time are made once`, async () => {
    await database.query.deleteFrom('openid_keys').execute()
    const keys = open()
    const sets = await Promise.all(Array.from({ length: 5 }, () => keys.current()))
    assert.equal(new Set(sets.map((set) => set.name)).size, 1)
    assert.deepEqual(await states(keys), ['signing', 'next'])
  })

  await test(`${name}: what is stored opens with the key of the service alone, and signs`, async () => {
    const keys = open()
    const [head = '', payload = '', signature = ''] = (await keys.sign('logout+jwt', { a: 1 })).split('.')
    const { signing, keys: all } = await keys.current()
    const key = createPublicKey(signing.key)
    assert.ok(verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url')))
    assert.equal(all[0]?.kid, signing.kid)
    const rows = await database.query.selectFrom('openid_keys').selectAll().execute()
    for (const row of rows) assert.doesNotMatch(row.private_sealed, /"kty"/)
    const stranger = new SigningKeys({ database, sealer: createSealer(new Uint8Array(32).fill(1)), clock })
    await assert.rejects(stranger.current(), /cannot open/)
  })
})
