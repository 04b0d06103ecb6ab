import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { maxParts, minPart, openSession, reduce, type Content, type Edit, type Input, type Session } from './session.ts'

const empty: Content = {
  parts: [],
  cues: [],
  grid: { snap: 'off', beats_per_bar: null, shift: 0 },
  export: { format: 'wav', joined: false, loudness_lufs: null, semitones: 0, tempo_percent: 100 },
}

const run = (...inputs: Input[]): Session => inputs.reduce(reduce, openSession(empty, 60))
const add = (id: string, start: number, end: number): Edit => ({ type: 'add-part', id, start, end })
const ends = ({ content }: Session) => content.parts.map(({ id, start, end }) => [id, start, end])

test('parts stand in the order of their start, inside the sound', () => {
  assert.deepEqual(ends(run(add('b', 30, 20), add('a', 5, 70))), [
    ['a', 5, 60],
    ['b', 20, 30],
  ])
})

test('a part is split at a place, and keeps its outer fades alone', () => {
  const session = run(
    add('a', 10, 20),
    { type: 'change-part', id: 'a', values: { fade_in: 1, fade_out: 2 } },
    { type: 'split-part', id: 'a', newId: 'b', at: 14 },
  )
  assert.deepEqual(ends(session), [
    ['a', 10, 14],
    ['b', 14, 20],
  ])
  assert.deepEqual(
    session.content.parts.map(({ fade_in, fade_out }) => [fade_in, fade_out]),
    [
      [1, 0],
      [0, 2],
    ],
  )
  assert.equal(reduce(session, { type: 'split-part', id: 'a', newId: 'c', at: 30 }), session)
})

test('an end that is dragged past the other one changes places with it', () => {
  assert.deepEqual(ends(run(add('a', 10, 20), { type: 'move-end', id: 'a', end: 'start', to: 25 })), [['a', 20, 25]])
})

test('a loop whose end is moved is none any more, and one that is moved as a whole still is', () => {
  const loop = { bars: 2, beats_per_bar: 4, bpm: 120 }
  const begun: Input = { type: 'add-part', id: 'a', start: 10, end: 14, loop }
  assert.deepEqual(run(begun, { type: 'move-part', id: 'a', to: 20 }).content.parts[0]?.loop, loop)
  assert.equal(run(begun, { type: 'move-end', id: 'a', end: 'end', to: 15 }).content.parts[0]?.loop, null)
})

test('a drag is undone at once, and what was undone is done again', () => {
  const drag = (to: number): Input => ({
    type: 'edit',
    gesture: 'drag 1',
    edit: { type: 'move-end', id: 'a', end: 'end', to },
  })
  const dragged = run(add('a', 10, 20), drag(21), drag(22), drag(23))
  const undone = reduce(dragged, { type: 'undo' })
  assert.deepEqual(ends(undone), [['a', 10, 20]])
  assert.deepEqual(ends(reduce(undone, { type: 'redo' })), [['a', 10, 23]])
  assert.deepEqual(ends(reduce(undone, { type: 'undo' })), [])
})

test('two drags are undone one by one', () => {
  const drag = (gesture: string, to: number): Input => ({
    type: 'edit',
    gesture,
    edit: { type: 'move-end', id: 'a', end: 'end', to },
  })
  assert.deepEqual(ends(reduce(run(add('a', 10, 20), drag('1', 21), drag('2', 22)), { type: 'undo' })), [['a', 10, 21]])
})

test('cue points are numbered in the order of their time', () => {
  const session = run(
    { type: 'add-cue', id: 'x', at: 30 },
    { type: 'add-cue', id: 'y', at: 10 },
    { type: 'change-cue', id: 'y', values: { at: 40, name: 'End' } },
  )
  assert.deepEqual(
    session.content.cues.map(({ id, at }) => [id, at]),
    [
      ['x', 30],
      ['y', 40],
    ],
  )
})

test('there are never more parts than the server keeps', () => {
  const session = run(...Array.from({ length: maxParts + 5 }, (_, index) => add(`${index}`, 1, 2)))
  assert.equal(session.content.parts.length, maxParts)
})

test('whatever is done, parts are long enough, inside the sound, with fades that fit, and undo leads back to the beginning', () => {
  const time = fc.double({ min: -10, max: 80, noNaN: true })
  const id = fc.constantFrom('a', 'b', 'c')
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    fc.record({ type: fc.constant('add-part' as const), id, start: time, end: time }),
    fc.record({ type: fc.constant('move-part' as const), id, to: time }),
    fc.record({
      type: fc.constant('move-end' as const),
      id,
      end: fc.constantFrom('start' as const, 'end' as const),
      to: time,
    }),
    fc.record({ type: fc.constant('split-part' as const), id, newId: fc.constantFrom('d', 'e'), at: time }),
    fc.record({
      type: fc.constant('change-part' as const),
      id,
      values: fc.record({ fade_in: time, fade_out: time }),
    }),
    fc.record({ type: fc.constant('remove-part' as const), id }),
  )
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 30 }), (edits) => {
      let session = run(...edits)
      for (const { start, end, fade_in, fade_out } of session.content.parts) {
        assert.ok(start >= 0 && end <= 60 && end - start >= minPart - 1e-6, `${start} to ${end}`)
        assert.ok(
          fade_in >= 0 && fade_out >= 0 && fade_in + fade_out <= end - start + 1e-6,
          `${fade_in} and ${fade_out}`,
        )
      }
      while (session.past.length > 0) session = reduce(session, { type: 'undo' })
      assert.deepEqual(session.content, empty)
    }),
  )
})
