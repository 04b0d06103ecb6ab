import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { createSessionStore } from './session-store.ts'

const realFetch = globalThis.fetch
const user = { id: '1', username: 'admin', role: 'admin' }
const session = (token: string, must = false) => ({ data: { user, csrf_token: token, password_change_required: must } })

/** Answers requests in order and keeps what was asked. */
function answerWith(...answers: [number, unknown][]) {
  const asked: { path: string; method: string; token: string | null }[] = []
  globalThis.fetch = (path, init) => {
    asked.push({
      path: path instanceof Request ? path.url : path.toString(),
      method: init?.method ?? 'GET',
      token: new Headers(init?.headers).get('x-csrf-token'),
    })
    const [status, body] = answers.shift() ?? [500, {}]
    return Promise.resolve(new Response(JSON.stringify(body), { status }))
  }
  return asked
}

afterEach(() => {
  globalThis.fetch = realFetch
})

test('a session passes through sign-in, the forced password change and sign-out', async () => {
  const asked = answerWith([401, {}], [200, session('a', true)], [200, session('b')], [200, {}])
  const store = createSessionStore()
  const steps: string[] = []
  store.subscribe(() => steps.push(store.state().step))
  await store.load()
  await store.signIn({ username: 'admin', password: 'first' })
  await store.changePassword('first', 'second')
  assert.equal(store.csrfToken(), 'b')
  await store.signOut()
  assert.deepEqual(steps, ['signed-out', 'password-change', 'signed-in', 'signed-out'])
  assert.deepEqual(
    asked.map(({ path, method, token }) => `${method} ${path} ${token}`),
    ['GET /api/session null', 'POST /api/session null', 'POST /api/session/password a', 'DELETE /api/session b'],
  )
})

test('a wrong password changes nothing and is thrown', async () => {
  answerWith([401, {}], [401, { message: 'Wrong name or password' }])
  const store = createSessionStore()
  await store.load()
  await assert.rejects(store.signIn({ username: 'admin', password: 'no' }), /Wrong name or password/)
  assert.equal(store.state().step, 'signed-out')
})

test('an expired session is reported, and a failed request does not end a session', async () => {
  answerWith([200, session('a')], [503, {}], [401, {}])
  const store = createSessionStore()
  await store.load()
  await store.check()
  assert.equal(store.state().step, 'signed-in')
  await store.check()
  assert.deepEqual(store.state(), { step: 'signed-out', ended: true })
})

test('an unreachable server does not count as signed out', async () => {
  globalThis.fetch = () => Promise.reject(new TypeError('fetch failed'))
  const store = createSessionStore()
  await store.load()
  assert.equal(store.state().step, 'unreachable')
})

test('a session response without an envelope is accepted', async () => {
  answerWith([200, session('bare').data])
  const store = createSessionStore('/admin/api/session')
  await store.load()
  assert.equal(store.csrfToken(), 'bare')
})

test('a service may supply its own session requests', async () => {
  const local = { user, csrf_token: '', password_change_required: false, is_open: true }
  const forms: unknown[] = []
  const store = createSessionStore({
    read: () => Promise.resolve(local),
    signIn: (form) => {
      forms.push(form)
      return Promise.resolve({ ...local, is_open: false })
    },
    signOut: () => Promise.resolve(),
  })
  await store.load()
  assert.deepEqual(store.state(), { step: 'signed-in', session: local })
  await store.signOut()
  await store.signIn({ username: 'admin', password: 'secret', website: '' })
  assert.deepEqual(forms, [{ username: 'admin', password: 'secret', website: '' }])
  await store.check()
  assert.deepEqual(store.state(), { step: 'signed-in', session: local })
})
