import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OwnSession } from '@hearth/accounts/own-sessions'
import { startSites } from './in-process.ts'

interface Sessions {
  sessions: OwnSession[]
}

test('a user lists their own sessions, this one first, and ends another; nobody ends a session of somebody else', async () => {
  await using sites = await startSites()
  await sites.addUser('reader', 'user')
  const [laptop, phone] = [await sites.signInAs('reader'), await sites.signInAs('reader')]
  const { sessions } = (await laptop.json<Sessions>('GET', '/api/sessions')).body
  assert.deepEqual(
    sessions.map(({ is_current }) => is_current),
    [true, false],
  )
  assert.match(sessions[0]?.address ?? '', /^[\d.:a-f]+$/)
  const target = `/api/sessions/${sessions[1]?.id}`
  const administrator = await sites.signInAs('admin')
  assert.equal((await administrator.json('DELETE', target)).status, 404)
  assert.equal((await phone.json('GET', '/api/session')).status, 200)
  assert.equal((await laptop.json('DELETE', target)).status, 200)
  assert.equal((await phone.json('GET', '/api/session')).status, 401)
  assert.equal((await laptop.json('DELETE', target)).status, 404)
})
