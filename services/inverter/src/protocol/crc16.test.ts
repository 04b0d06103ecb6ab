import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc16 } from './crc16.ts'

const ascii = (text: string) => new TextEncoder().encode(text)

test('an odd number of bytes is padded with a zero byte, an even number is not', () => {
  assert.equal(crc16(ascii('12345678')), 0xa12b)
  assert.equal(crc16(ascii('123456789')), 0x044b)
  assert.equal(crc16(ascii('123456789\0')), 0x044b)
  assert.equal(crc16(new Uint8Array(0)), 0xffff)
})

test('bytes after the given end are not included', () => {
  assert.equal(crc16(ascii('12345678 and more'), 8), 0xa12b)
})
