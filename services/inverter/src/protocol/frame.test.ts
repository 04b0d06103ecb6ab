import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFrame, encodeRequest, maxFrameBytes } from './frame.ts'
import { wellFormed } from './vectors.data.ts'

const bytes = (length: number) => new Uint8Array(length)

for (const { name, frame, bytes } of wellFormed) {
  test(`encodes ${frame.command}: ${name}`, () => assert.equal(encodeFrame(frame).toHex(), bytes.toHex()))
}

test('a request is a frame without payload', () => {
  assert.equal(encodeRequest('read', 0x959930bf).toHex(), '2b0104959930bf0d65')
  assert.equal(encodeRequest('read-periodically', 0xdb2d69ae, 7).toHex(), '2b480800000007db2d2d69ae005e')
})

test('a write uses the long form when its length does not fit one byte', () => {
  const code = (command: 'write' | 'response', length: number, address?: number) =>
    encodeFrame({ command, address, objectId: 1, payload: bytes(length) })[1]
  assert.deepEqual([code('write', 251), code('write', 252)], [0x02, 0x03])
  assert.deepEqual([code('write', 247, 7), code('write', 248, 7)], [0x42, 0x43])
  assert.deepEqual([code('response', 251), code('response', 252)], [0x05, 0x06])
})

test('a payload that does not fit a frame is refused', () => {
  const encode = (frame: object) => () =>
    encodeFrame({ command: 'write', address: undefined, objectId: 1, payload: bytes(0), ...frame })
  for (const value of [-1, 0.5, 2 ** 32, Number.NaN]) {
    assert.throws(encode({ objectId: value }), RangeError)
    assert.throws(encode({ address: value }), RangeError)
  }
  assert.throws(encode({ command: 'read', payload: bytes(1) }), RangeError)
  assert.throws(encode({ command: 'read-periodically', payload: bytes(1) }), RangeError)
  encode({ payload: bytes(maxFrameBytes - 9) })()
  assert.throws(encode({ payload: bytes(maxFrameBytes - 8) }), RangeError)
  assert.throws(encode({ address: 0, payload: bytes(maxFrameBytes - 12) }), RangeError)
})
