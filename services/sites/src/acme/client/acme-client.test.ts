import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GuardedFetch } from '@hearth/outbound'
import { AcmeClient } from './acme-client.ts'
import { AcmeError } from './acme-error.ts'
import { generateKey } from './jws.ts'

const hour = 3_600_000

/** An authority that answers requests for an order by this; `now` and `base` are changed by tests. */
function authority(answer: () => { status: number; body: object }) {
  const state = { now: Date.UTC(2031, 0, 1), base: 'https://ca.test', asked: [] as string[] }
  const fetch: GuardedFetch = (url, { method = 'GET' } = {}) => {
    state.asked.push(String(url))
    const reply = (status: number, body: object) => {
      const headers = new Map([['replay-nonce', 'bm9uY2U']])
      return Promise.resolve({ status, headers, url: String(url), body: Buffer.from(JSON.stringify(body)) })
    }
    const { base } = state
    if (method === 'HEAD') return reply(200, {})
    if (method === 'GET')
      return reply(200, { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` })
    const { status, body } = answer()
    return reply(status, body)
  }
  return { state, client: new AcmeClient(fetch, 'https://ca.test/dir', () => state.now) }
}

const signer = { key: generateKey(), account: 'https://ca.test/account/1' }
const problem = (type: string) => ({ type: `urn:ietf:params:acme:error:${type}`, detail: `It is ${type}` })

test('an authority that takes none of its own nonces is away: nothing is wrong with the order', async () => {
  let refusals = 0
  const { client } = authority(() => {
    refusals += 1
    return { status: 400, body: problem('badNonce') }
  })
  const failed = await client.findOrder(signer, 'https://ca.test/order/1').catch((error: unknown) => error)
  assert.ok(failed instanceof AcmeError)
  assert.deepEqual([failed.failure, refusals], ['away', 6])
})

test('an authority that moves its addresses is found within the hour', async () => {
  const { state, client } = authority(() => ({ status: 403, body: problem('rejectedIdentifier') }))
  const order = () => assert.rejects(client.order(signer, ['example.org']), AcmeError)
  await order()
  state.base = 'https://new.ca.test'
  state.now += 2 * hour
  await order()
  assert.equal(state.asked.at(-1), 'https://new.ca.test/order')
  const before = state.asked.length
  await order()
  assert.equal(state.asked.length, before + 1, 'it is not read for each request')
})
