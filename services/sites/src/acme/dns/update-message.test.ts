import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { encodeName, encodeUpdate, readUpdateAnswer, signMessage, type TsigKey } from './update-message.ts'

const key: TsigKey = { name: 'hearth', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 1) }
const change = { action: 'add', zone: 'example.org', name: '_acme-challenge.example.org', value: 'v', ttl: 60 } as const

test('an update is laid out as RFC 2136 says', () => {
  const message = encodeUpdate(0x1234, change)
  const hex = (...parts: readonly string[]) => parts.join('')
  const zone = '076578616d706c65036f726700'
  const head = hex('1234', '2800', '0001', '0000', '0001', '0000')
  const record = hex('0f5f61636d652d6368616c6c656e6765', zone, '0010', '0001', '0000003c', '0002', '0176')
  assert.equal(message.toString('hex'), hex(head, zone, '0006', '0001', record))
  const removal = encodeUpdate(1, { ...change, action: 'remove' }).toString('hex')
  assert.ok(removal.endsWith(hex('0010', '00fe', '00000000', '0002', '0176')))
})

test('names that no server could have are refused', () => {
  for (const name of ['', 'a..b', `${'a'.repeat(64)}.org`]) assert.throws(() => encodeName(name), RangeError)
})

test('whatever a server answers is read or refused, never trusted without a signature', () => {
  const { mac } = signMessage(encodeUpdate(7, change), key, 1_000_000)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, hasHead) => {
      const head = hasHead ? [0, 7, 0xa8, 0, 0, 0, 0, 0, 0, 0, 0, 1] : []
      const answer = readUpdateAnswer(Buffer.from([...head, ...bytes]), 7, { key, mac })
      assert.notEqual(answer?.isSigned, true)
    }),
    { numRuns: 2000 },
  )
})
