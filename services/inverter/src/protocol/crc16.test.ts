import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc16 } from './crc16.ts'

const ascii = (text: string) => new TextEncoder().encode(text)

test('an even number of bytes is computed as it is, an odd one with a zero byte after it', () => {
  assert.equal(crc16(ascii('12345678')), 0xa12b)
  assert.equal(crc16(ascii('123456789')), 0x044b)
  assert.equal(crc16(ascii('123456789\0')), 0x044b)
  assert.equal(crc16(new Uint8Array(0)), 0xffff)
})

test('only the bytes before the end are included', () => {
  assert.equal(crc16(ascii('12345678 and more'), 8), 0xa12b)
})
