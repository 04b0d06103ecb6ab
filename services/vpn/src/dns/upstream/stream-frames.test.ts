import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { frame, StreamFrames } from './stream-frames.ts'

test('messages leave a stream unchanged, however it is split', () => {
  const message = fc.uint8Array({ maxLength: 600 })
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), fc.array(fc.nat(300), { maxLength: 20 }), (messages, cuts) => {
      const stream = Buffer.concat(messages.map(frame))
      const frames = new StreamFrames()
      const seen: Uint8Array[] = []
      let at = 0
      for (const cut of [...cuts, stream.length]) {
        seen.push(...frames.push(stream.subarray(at, at + cut)))
        at = Math.min(stream.length, at + cut)
      }
      assert.deepEqual(
        seen.map((one) => Array.from(one)),
        messages.map((one) => Array.from(one)),
      )
    }),
  )
})
