import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConfirmation } from './confirmation.ts'
import { createSend } from './send.ts'

interface Stage {
  /** The token that the server accepts. */
  good: string
  /** True when the session was confirmed recently. */
  isRecent: boolean
}

const json = (status: number, body: object) => new Response(JSON.stringify(body), { status })
const write = (body = 'a') => new Request('http://here.test/api', { method: 'POST', body })

/** A server with one token, a window with another until it is renewed, and a confirmation that may be requested. */
function stage({ good, isRecent }: Stage) {
  const server = { good, isRecent }
  const sent: string[] = []
  let known = 'old'
  const confirmation = createConfirmation(() => new Error('not confirmed'))
  const renew = () => {
    known = server.good
    return Promise.resolve(known)
  }
  const send = createSend({
    tokens: { get: () => Promise.resolve(known), renew },
    confirmation,
    send: async (request) => {
      const token = request.headers.get('x-csrf-token')
      sent.push(`${request.method} ${token} ${await request.text()}`)
      if (request.method === 'GET') return json(200, {})
      if (token !== server.good) return json(403, { code: 'csrf' })
      return server.isRecent ? json(200, {}) : json(403, { code: 'reauthentication_required' })
    },
  })
  return { send, sent, server, confirmation }
}

test('reads carry no CSRF token, writes do; an outdated token is renewed', async () => {
  const { send, sent } = stage({ good: 'new', isRecent: true })
  await send(new Request('http://here.test/api'))
  assert.equal((await send(write('body'))).status, 200)
  assert.deepEqual(sent, ['GET null ', 'POST old body', 'POST new body'])
})

test('calls that need confirmation share one prompt and continue with the new token', async () => {
  const { send, sent, server, confirmation } = stage({ good: 'old', isRecent: false })
  const opened = new Promise<void>((resolve) => confirmation.subscribe(resolve))
  const calls = Promise.all([send(write('one')), send(write('two'))])
  await opened
  assert.equal(confirmation.isOpen(), true)
  Object.assign(server, { isRecent: true, good: 'new' })
  confirmation.settle(true)
  assert.deepEqual(
    (await calls).map(({ status }) => status),
    [200, 200],
  )
  assert.equal(confirmation.isOpen(), false)
  assert.ok(sent.includes('POST new one') && sent.includes('POST new two'))
})

test('an unconfirmed call fails and is not sent again', async () => {
  const { send, sent, confirmation } = stage({ good: 'old', isRecent: false })
  const opened = new Promise<void>((resolve) => confirmation.subscribe(resolve))
  const call = send(write())
  await opened
  confirmation.settle(false)
  await assert.rejects(call, /not confirmed/)
  assert.equal(sent.length, 1)
})

test('any other refusal is returned', async () => {
  const send = createSend({
    tokens: { get: () => Promise.resolve('t'), renew: () => assert.fail('requested a token') },
    confirmation: { request: () => assert.fail('requested a confirmation') },
    send: () => Promise.resolve(json(403, { detail: 'Administrator access is required.' })),
  })
  assert.equal((await send(write())).status, 403)
})
