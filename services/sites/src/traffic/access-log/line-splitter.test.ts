import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assert as check, constantFrom, integer, array, property } from 'fast-check'
import { createLineSplitter } from './line-splitter.ts'

test('lines arrive whole, wherever the bytes are split', () => {
  const text = ['one', '', 'zwei ü', 'x'.repeat(40), 'three', 'rest']
  const bytes = Buffer.from(text.join('\n'))
  check(
    property(
      array(integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      constantFrom(40, 30),
      (sizes, longest) => {
        const splitter = createLineSplitter(longest)
        const lines: string[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length]!
          // The reader uses its buffer again.
          const piece = Uint8Array.from(bytes.subarray(at, at + size))
          lines.push(...splitter.push(piece))
          piece.fill(0)
          at += size
        }
        assert.deepEqual(
          lines,
          text.slice(0, -1).filter((line) => line.length <= longest),
        )
        assert.deepEqual([splitter.tooLong, splitter.unfinished], [longest === 30 ? 1 : 0, 4])
      },
    ),
  )
})
