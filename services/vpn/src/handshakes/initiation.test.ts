import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKeyPair } from '../wireguard/keys.ts'
import { createInitiatorReader, initiationLength } from './initiation.ts'

/** The first message of a wireguard-go whose key pair was made for this, as it was received. */
const server = 'MErp7VQjmAh4JWzCsg4QvXV1NKxCwNBJ3Dh5mM6J03U='
const device = 'xoEblkCnRWIaSHhPKD+FSqY9dYAV3h7wbzOXm2DnkRM='
const message = Buffer.from(
  '010000005e1455dc1168f442050e8d747dc0ce2374052f344acc8fa964e6967ccc9c1daaf6a6302b258a236b274fed00ad0c450a67baeecc6c28ebbc' +
    'c7aeca331291faeb9aab534b082541adec7f853d2c68860020864e578d7a6d1945fa4fb8edce1fc751eabe122617298267d4c0d8922eb1dae4c3f155' +
    'ca41f2eef58568d67704e30100000000000000000000000000000000',
  'hex',
)

test('the first message of a handshake says whose it is', () => {
  assert.equal(message.length, initiationLength)
  assert.equal(createInitiatorReader(server)(message), device)
})

test('a message for another device says nothing', () => {
  assert.equal(createInitiatorReader(generateKeyPair().privateKey)(message), undefined)
})

test('a message that was changed anywhere in what is sealed says nothing', () => {
  const read = createInitiatorReader(server)
  // From the type to the end of the sealed time, but for the index of the session, which anybody may choose.
  for (let at = 0; at < 116; at += 1) {
    if (at >= 4 && at < 8) continue
    const changed = Buffer.from(message)
    changed[at] = (changed[at] ?? 0) ^ 0x40
    assert.equal(read(changed), undefined, String(at))
  }
})

test('messages that are no handshake say nothing', () => {
  const read = createInitiatorReader(server)
  for (const other of [
    Buffer.alloc(0),
    Buffer.alloc(initiationLength),
    message.subarray(0, -1),
    Buffer.concat([message, Buffer.of(0)]),
  ])
    assert.equal(read(other), undefined)
  // A point of low order has no shared secret.
  const weak = Buffer.from(message)
  weak.fill(0, 8, 40)
  assert.equal(read(weak), undefined)
})
