import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csrfTokenOf } from '@hearth/credentials'
import type { GuardedRequest } from '@hearth/http'
import { createGuard, isRecent, recentFor, type Access } from './access.ts'
import type { ProvenSession } from './accounts/sessions.ts'

const now = 1_800_000_000_000
const key = 'k'.repeat(43)
const proven: ProvenSession = {
  userId: 'ada',
  username: 'ada',
  role: 'admin',
  passwordChangeRequired: false,
  provedAt: now,
  provedBy: 'password',
}

/** The guard's answer to a write with everything right, by one session. */
async function ask(access: Access, session: ProvenSession): Promise<string> {
  const guard = createGuard({
    limits: { take: () => Promise.resolve(undefined), refund: () => Promise.resolve() },
    identify: (given) => Promise.resolve(given === key ? session : undefined),
    tokens: undefined,
    visitors: { create: () => '', isValid: () => false },
    isSetUp: () => Promise.resolve(true),
    origins: () => [],
    publicUrl: undefined,
    now: () => now,
    onLimited: () => undefined,
    checkScrape: () => undefined,
  })
  const guarded = {
    request: {
      method: 'POST',
      cookies: { hearth_sites_session: key },
      headers: { 'x-csrf-token': csrfTokenOf(key) },
    },
    client: {
      address: '10.0.0.1',
      host: 'localhost',
      secure: false,
      origin: 'http://localhost',
      userAgent: '',
      connectedTo: undefined,
    },
  } as unknown as GuardedRequest
  const spec = { access, limit: 'none' } as Parameters<typeof guard>[1]
  return guard(guarded, spec).then(
    () => 'allowed',
    (error: unknown) => (error as { body: { code?: string; detail: string } }).body.code ?? 'role',
  )
}

test('each access level allows the sessions it names and refuses the others', async () => {
  const late = { ...proven, provedAt: now - recentFor - 1 }
  const answers = async (session: ProvenSession) =>
    Promise.all((['session', 'recent-session', 'admin', 'recent-admin'] as const).map((access) => ask(access, session)))
  const again = 'reauthentication_required'
  assert.deepEqual(await answers(proven), ['allowed', 'allowed', 'allowed', 'allowed'])
  assert.deepEqual(await answers(late), ['allowed', again, 'allowed', again])
  assert.deepEqual(await answers({ ...proven, role: 'user' }), ['allowed', 'allowed', 'role', 'role'])
  assert.deepEqual(await answers({ ...late, role: 'user' }), ['allowed', again, 'role', 'role'])
  const due = await answers({ ...proven, passwordChangeRequired: true })
  assert.deepEqual(new Set(due), new Set(['password_change_required']))
  assert.equal(await ask('any-session', { ...late, passwordChangeRequired: true }), 'allowed')
})

test('a confirmation dated in the future, after the clock was set back, is not recent', () => {
  assert.equal(isRecent({ ...proven, provedAt: now + 1 }, now), false)
  assert.equal(isRecent({ ...proven, provedAt: now - recentFor }, now), true)
})
