import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecurityEvent } from '@hearth/accounts/security-log-schema'
import { startSites } from './in-process.ts'

interface Page {
  events: SecurityEvent[]
  total: number
}

test('the log says who did what and how; others than administrators read their own part', async () => {
  await using sites = await startSites()
  await sites.signIn()
  await sites.addUser('reader', 'user')
  const [admin, reader] = [await sites.signInAs('admin'), await sites.signInAs('reader')]
  await reader.json('POST', '/api/session/recovery-codes')
  const { sessions } = (await reader.json<{ sessions: { id: string; is_current: boolean }[] }>('GET', '/api/sessions'))
    .body
  const other = await sites.signInAs('reader')
  assert.equal((await other.json('DELETE', `/api/sessions/${sessions[0]?.id}`)).status, 200)
  const about = ({ kind, username, method, target, detail }: SecurityEvent) =>
    [kind, username, method, target, detail].join('|')
  const all = (await admin.json<Page>('GET', '/api/security-log?limit=100')).body.events.map(about)
  for (const expected of ['sign_in|admin|set_up_token||', 'user_created|admin||reader|role: user'])
    assert.ok(all.includes(expected), `${expected} is missing in ${all.join('\n')}`)
  const own = (await other.json<Page>('GET', '/api/security-log')).body
  assert.equal(own.total, own.events.length)
  assert.deepEqual(
    own.events.map(({ kind, username }) => [kind, username]),
    [
      ['session_ended', 'reader'],
      ['sign_in', 'reader'],
      ['recovery_codes_created', 'reader'],
      ['sign_in', 'reader'],
    ],
  )
  const csv = await other.call('GET', '/api/security-log.csv')
  assert.equal((await csv.text()).trim().split('\n').length, 5)
})
