import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { addressRecord, longRecord, makeAnswer, makeQuery } from '../../../test/dns-packets.ts'
import { padAnswer } from './pad-answer.ts'

const code = (at: number) => [0, at]
/** A query with an OPT record that holds these options, each a code and a number of bytes. */
function queryWith(...options: readonly (readonly [number, number])[]): Uint8Array {
  const query = makeQuery('www.example.com', 1, 1232)
  const data = options.flatMap(([option, length]) =>
    code(option).concat(
      0,
      length,
      Array.from({ length }, () => 0),
    ),
  )
  const whole = Uint8Array.from([...query, ...data])
  new DataView(whole.buffer).setUint16(query.length - 2, data.length)
  return whole
}
const opt = Uint8Array.from([0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0])
/** An answer that ends with OPT. */
function answerOf(bytes: number): Uint8Array {
  const query = makeQuery('www.example.com')
  const answer = makeAnswer(query, bytes === 0 ? [addressRecord('192.0.2.1')] : [longRecord(bytes)])
  const whole = Uint8Array.from([...answer, ...opt])
  whole[11] = 1
  return whole
}

test('an answer to a query with the Padding option is as long as a multiple of 468 bytes', () => {
  const padding = queryWith([10, 8], [12, 0])
  for (const bytes of [0, 100, 380, 400, 410, 420, 900, 2000]) {
    const answer = answerOf(bytes)
    const padded = padAnswer(padding, answer)
    assert.equal(padded.length % 468, 0, `${answer.length} bytes`)
    assert.ok(padded.length >= answer.length + 4 && padded.length < answer.length + 4 + 468)
    const end = answer.length
    const view = new DataView(padded.buffer)
    assert.equal(view.getUint16(end - 2), padded.length - end, 'length of the options')
    assert.deepEqual([view.getUint16(end), view.getUint16(end + 2)], [12, padded.length - end - 4])
    assert.ok(padded.subarray(end + 4).every((byte) => byte === 0))
    assert.deepEqual(padded.subarray(0, end - 2), answer.subarray(0, end - 2))
  }
})

test('no other answer is padded', () => {
  const answer = answerOf(0)
  for (const query of [makeQuery('www.example.com'), queryWith(), queryWith([10, 8]), queryWith([3, 12])])
    assert.equal(padAnswer(query, answer), answer)
  const without = answer.subarray(0, answer.length - opt.length)
  const plain = Uint8Array.from(without)
  plain[11] = 0
  assert.equal(padAnswer(queryWith([12, 0]), plain), plain, 'there is no OPT to put it in')
})

test('whatever bytes they are, reading them ends', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.uint8Array({ maxLength: 80 }), (query, answer) => {
      assert.ok(padAnswer(query, answer).length >= answer.length)
    }),
    { numRuns: 2000 },
  )
})
