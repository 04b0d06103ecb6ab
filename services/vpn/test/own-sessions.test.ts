import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OwnSession } from '@hearth/accounts/own-sessions'
import type { SignedIn } from '@hearth/testing'
import { startService, testPassword } from './in-process.ts'

const list = async (browser: SignedIn): Promise<OwnSession[]> => (await browser.send('GET', '/api/sessions')).body.data

test('a user lists their own sessions, this one first, and ends another; nobody ends a session of somebody else', async () => {
  await using service = await startService()
  await service.addUser('reader', 'user')
  const [laptop, phone] = [
    await service.signIn('reader', testPassword),
    await service.signIn('reader', testPassword, '127.0.0.2'),
  ]
  const sessions = await list(laptop)
  assert.deepEqual(
    sessions.map(({ is_current, address }) => [is_current, address]),
    [
      [true, '127.0.0.1'],
      [false, '127.0.0.2'],
    ],
  )
  const target = `/api/sessions/${sessions[1]?.id}`
  const administrator = await service.signIn('admin', testPassword)
  assert.equal((await administrator.send('DELETE', target)).status, 404)
  assert.equal((await phone.send('GET', '/api/session')).status, 200)
  assert.equal((await laptop.send('DELETE', target)).status, 200)
  assert.equal((await phone.send('GET', '/api/session')).status, 401)
  assert.equal((await laptop.send('DELETE', target)).status, 404)
  assert.equal((await list(laptop)).length, 1)
})
