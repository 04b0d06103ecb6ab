import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signWebhook } from './webhook.ts'

test('a signature is that of the example in the Standard Webhooks specification', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: '1614265330', body: '{"test": 2432232314}' }
  assert.equal(signWebhook(signed, secret), 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})
