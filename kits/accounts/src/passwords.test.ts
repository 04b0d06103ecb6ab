import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, verifyPassword } from '@hearth/credentials'
import { createManualClock } from '@hearth/runtime'
import { AccountError, type AccountErrorReason } from './account-error.ts'
import { checkNewPassword, isPasswordOf, replacePassword, signIn } from './passwords.ts'
import { createThrottle, slidingWindow } from './throttle.ts'

const password = 'tall-giraffe-on-ice-7'
const user = { name: 'ada', password_hash: await hashPassword(password), is_active: 1 }

const reasonOf = async (work: Promise<unknown>): Promise<AccountErrorReason | undefined> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error === undefined || error instanceof AccountError, String(error))
  return error?.reason
}

function signInWith(found: typeof user | undefined, given: string, throttle = newThrottle()) {
  const verify = (holder: typeof user | undefined) => isPasswordOf(holder, given)
  return signIn({ throttle, key: 'address', find: () => Promise.resolve(found), verify })
}

const newThrottle = () => createThrottle(slidingWindow(5, 900), createManualClock(0))

test('only the right password of an active user signs in; all failures look alike', async () => {
  assert.equal((await signInWith(user, password)).name, 'ada')
  const wrong = { kind: 'wrong-credentials', isDisabled: false, isByCode: false } as const
  assert.deepEqual(await reasonOf(signInWith(user, 'another-password')), wrong)
  assert.deepEqual(await reasonOf(signInWith(undefined, password)), wrong)
  const disabled = { ...user, is_active: 0 }
  assert.deepEqual(await reasonOf(signInWith(disabled, password)), { ...wrong, isDisabled: true })
  assert.deepEqual(await reasonOf(signInWith(disabled, 'another-password')), wrong)
})

test('concurrent attempts are counted before any password is compared', async () => {
  const throttle = newThrottle()
  const ends = await Promise.all(Array.from({ length: 8 }, () => reasonOf(signInWith(user, 'wrong', throttle))))
  assert.deepEqual(
    ends.map((reason) => reason?.kind),
    [...Array.from({ length: 5 }, () => 'wrong-credentials'), ...Array.from({ length: 3 }, () => 'rate-limited')],
  )
  assert.equal((await reasonOf(signInWith(user, password, throttle)))?.kind, 'rate-limited')
})

test('a password is changed only with the current one, and only to a strong one', async () => {
  const change = { current: password, next: 'green-lantern-by-night', names: ['ada'] }
  assert.ok(await verifyPassword(change.next, await replacePassword(user, change)))
  const messageOf = async (differs: Partial<typeof change>) => {
    const reason = await reasonOf(replacePassword(user, { ...change, ...differs }))
    return reason?.kind === 'invalid-password' ? `${reason.code}: ${reason.member} ${reason.message}` : ''
  }
  assert.equal(await messageOf({ current: 'wrong' }), 'wrong_password: current_password is not right')
  assert.equal(await messageOf({ next: password }), 'same_password: new_password must differ from the current one')
  assert.match(await messageOf({ next: 'password1' }), /^weak_password: new_password is one of/)
  assert.throws(() => checkNewPassword('ada-99', ['ada']), /^AccountError: password is too close to the user’s name$/)
})
