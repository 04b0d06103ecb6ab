import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTokenSend } from './send-with-token.ts'

/** A server that knows one token, and a browser that has another until it asks. */
function stage({ cookie, good }: { cookie: string; good: string }) {
  let cookies = cookie
  const sent: string[] = []
  const send = createTokenSend(
    {
      cookies: () => cookies,
      renew: () => {
        cookies = `other=1; hearth_media_csrf=${good}`
        return Promise.resolve()
      },
    },
    async (request) => {
      const token = request.headers.get('x-csrf-token')
      sent.push(`${request.method} ${token} ${await request.text()}`)
      const isRefused = request.method !== 'GET' && token !== good
      return new Response(isRefused ? '{"detail":"The CSRF token is missing"}' : '{}', {
        status: isRefused ? 403 : 200,
      })
    },
  )
  return { send, sent }
}

const post = (body = 'a') => new Request('http://here/api', { method: 'POST', body })

test('a write carries the CSRF token of the cookie, a read does not', async () => {
  const { send, sent } = stage({ cookie: 'x=2; hearth_media_csrf=t1', good: 't1' })
  await send(new Request('http://here/api'))
  await send(post())
  assert.deepEqual(sent, ['GET null ', 'POST t1 a'])
})

test('an expired cookie is renewed before the write', async () => {
  const { send, sent } = stage({ cookie: '', good: 't2' })
  assert.equal((await send(post())).status, 200)
  assert.deepEqual(sent, ['POST t2 a'])
})

test('a refused token is renewed, and the same body is sent once more', async () => {
  const { send, sent } = stage({ cookie: 'hearth_media_csrf=old', good: 't3' })
  assert.equal((await send(post('body'))).status, 200)
  assert.deepEqual(sent, ['POST old body', 'POST t3 body'])
})

test('any other 403 is returned', async () => {
  let calls = 0
  const send = createTokenSend({ cookies: () => 'hearth_media_csrf=t', renew: () => Promise.resolve() }, () => {
    calls += 1
    return Promise.resolve(new Response('{"detail":"Requests from other sites are refused"}', { status: 403 }))
  })
  assert.equal((await send(post())).status, 403)
  assert.equal(calls, 1)
})
