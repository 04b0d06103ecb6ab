import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OwnSession } from '@hearth/accounts/own-sessions'
import { startGateway } from './in-process.ts'

test('the administrator lists the sessions, this one first, and ends another', async () => {
  await using gateway = await startGateway()
  const laptop = await gateway.signIn()
  const phone = await gateway.signIn('127.0.0.2')
  const sessions: OwnSession[] = (await laptop.send('GET', '/admin/api/sessions')).body.sessions
  const other = sessions.find(({ address }) => address === '127.0.0.2')
  assert.deepEqual([sessions[0]?.is_current, sessions[0]?.address, other?.is_current], [true, '127.0.0.1', false])
  assert.equal((await laptop.send('DELETE', `/admin/api/sessions/${other?.id}`)).status, 200)
  assert.equal((await phone.send('GET', '/admin/api/session')).status, 401)
  assert.equal((await laptop.send('GET', '/admin/api/session')).status, 200)
  assert.equal((await laptop.send('DELETE', `/admin/api/sessions/${other?.id}`)).status, 404)
})
