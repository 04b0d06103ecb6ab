import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { hashPassword, useCheapPasswords } from '@hearth/credentials'
import { createManualClock } from '@hearth/runtime'
import { createSharePasswords, unlockSeconds } from './share-password.ts'

const key = Buffer.alloc(32, 1)
let hash = ''
before(async () => {
  useCheapPasswords()
  hash = await hashPassword('open sesame')
})

const linkOf = (password_hash: string | null, token_hash = 'a') => ({ token_hash, password_hash })

test('a cookie opens the one link it is for, until it ends or the password changes', async () => {
  const clock = createManualClock(1_800_000_000_000)
  const passwords = createSharePasswords(key, clock)
  const link = linkOf(hash)
  const cookie = passwords.unlock(link)
  assert.equal(passwords.isUnlocked(link, cookie), true)
  // Another process of the same installation agrees.
  assert.equal(createSharePasswords(key, clock).isUnlocked(link, cookie), true)
  assert.equal(createSharePasswords(Buffer.alloc(32, 2), clock).isUnlocked(link, cookie), false)
  assert.equal(passwords.isUnlocked(linkOf(hash, 'b'), cookie), false)
  assert.equal(passwords.isUnlocked(linkOf(await hashPassword('open sesame')), cookie), false)
  assert.equal(passwords.isUnlocked(linkOf(null), undefined), true)
  const [end = '', signature = ''] = cookie.split('.')
  for (const forged of [undefined, '', '.', `${end}.`, `${Number(end) + 1}.${signature}`, `${end}.${'A'.repeat(43)}`])
    assert.equal(passwords.isUnlocked(link, forged), false, `${forged}`)
  clock.advance(unlockSeconds * 1000)
  assert.equal(passwords.isUnlocked(link, cookie), false)
})

test('wrong passwords delay a client, the right one lets it start over, and others are not delayed', async () => {
  const clock = createManualClock(0)
  const passwords = createSharePasswords(key, clock)
  const attempt = (password: string, address = '192.0.2.1') => passwords.attempt(linkOf(hash), password, address)
  for (let index = 0; index < 3; index += 1) assert.deepEqual(await attempt('no'), { kind: 'wrong' })
  assert.deepEqual(await attempt('open sesame'), { kind: 'wait', seconds: 1 })
  assert.deepEqual(await attempt('open sesame', '192.0.2.2'), { kind: 'right' })
  clock.advance(1000)
  assert.deepEqual(await attempt('no'), { kind: 'wrong' })
  assert.deepEqual(await attempt('no'), { kind: 'wait', seconds: 2 })
  clock.advance(2000)
  assert.deepEqual(await attempt('open sesame'), { kind: 'right' })
  assert.deepEqual(await attempt('no'), { kind: 'wrong' })
})

test('many attempts at once do not slip through together', async () => {
  const passwords = createSharePasswords(key, createManualClock(0))
  const attempts = Array.from({ length: 20 }, () => passwords.attempt(linkOf(hash), 'no', '192.0.2.1'))
  const kinds = (await Promise.all(attempts)).map(({ kind }) => kind)
  assert.equal(kinds.filter((kind) => kind === 'wrong').length, 3)
})

test('a link takes fifty wrong passwords in ten minutes, from however many addresses', async () => {
  const clock = createManualClock(0)
  const passwords = createSharePasswords(key, clock)
  let wrong = 0
  for (let index = 0; index < 300; index += 1) {
    const { kind } = await passwords.attempt(linkOf(hash), 'no', `10.0.${index >> 8}.${index & 255}`)
    if (kind === 'wrong') wrong += 1
  }
  assert.equal(wrong, 50)
  assert.equal((await passwords.attempt(linkOf(hash, 'other'), 'open sesame', '192.0.2.1')).kind, 'right')
  clock.advance(600_000)
  assert.equal((await passwords.attempt(linkOf(hash), 'open sesame', '192.0.2.1')).kind, 'right')
})

test('while a link is locked nobody is charged for what is not checked', async () => {
  const clock = createManualClock(0)
  const passwords = createSharePasswords(key, clock)
  for (let index = 0; index < 50; index += 1) await passwords.attempt(linkOf(hash), 'no', `10.0.0.${index}`)
  for (let index = 0; index < 6; index += 1)
    assert.equal((await passwords.attempt(linkOf(hash), 'open sesame', '192.0.2.1')).kind, 'wait')
  clock.advance(600_000)
  assert.deepEqual(await passwords.attempt(linkOf(hash), 'no', '192.0.2.1'), { kind: 'wrong' })
  assert.deepEqual(await passwords.attempt(linkOf(hash), 'open sesame', '192.0.2.1'), { kind: 'right' })
})
