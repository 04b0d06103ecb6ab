import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorkbenchChange } from '../api.ts'
import { SessionSaver, type SaverOptions } from './session-saver.ts'
import type { Content } from './session.ts'

const content = (name: string): Content => ({
  parts: [],
  cues: [{ id: 'c', name, at: 1 }],
  grid: { snap: 'off', beats_per_bar: null, shift: 0 },
  export: { format: 'wav', joined: false, loudness_lufs: null, semitones: 0, tempo_percent: 100 },
})

const open = (revision: number, save: SaverOptions['save']) =>
  new SessionSaver(revision, {
    save,
    explain: (error) =>
      (error as Error).message === '409' ? { kind: 'conflict' } : { kind: 'failed', reason: 'away' },
  })

test('changes are saved one after the other, each under the revision before, and the last one wins', async () => {
  const saved: WorkbenchChange[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const saver = open(3, async (change) => {
    saved.push(change)
    begun.resolve()
    if (saved.length === 1) await promise
    return { revision: change.revision + 1 }
  })
  saver.note(content('one'))
  const first = saver.flush()
  await begun.promise
  saver.note(content('two'))
  saver.note(content('three'))
  resolve()
  await first
  await saver.flush()
  assert.deepEqual(
    saved.map(({ revision, cues }) => [revision, cues[0]?.name]),
    [
      [3, 'one'],
      [4, 'three'],
    ],
  )
  assert.equal(saver.state().kind, 'saved')
})

test('flushes that wait for the same save are one save more', async () => {
  const revisions: number[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const saver = open(0, async ({ revision }) => {
    revisions.push(revision)
    if (revisions.length === 1) await promise
    return { revision: revision + 1 }
  })
  saver.note(content('one'))
  const flushes = [saver.flush()]
  saver.note(content('two'))
  flushes.push(saver.flush(), saver.flush())
  resolve()
  await Promise.all(flushes)
  assert.deepEqual(revisions, [0, 1])
  assert.equal(saver.state().kind, 'saved')
})

test('after a conflict nothing is saved until somebody decides', async () => {
  const saved: number[] = []
  const saver = open(1, (change) => {
    if (change.revision === 1) return Promise.reject(new Error('409'))
    saved.push(change.revision)
    return Promise.resolve({ revision: change.revision + 1 })
  })
  saver.note(content('mine'))
  await saver.flush()
  assert.equal(saver.state().kind, 'conflict')
  saver.note(content('more'))
  await saver.flush()
  assert.deepEqual(saved, [])
  await saver.overwrite(9, content('more'))
  assert.deepEqual([saved, saver.state().kind], [[9], 'saved'])
})

test('what failed is saved at the next try', async () => {
  let isBroken = true
  const saver = open(0, () => (isBroken ? Promise.reject(new Error('away')) : Promise.resolve({ revision: 1 })))
  saver.note(content('mine'))
  await saver.flush()
  assert.equal(saver.state().kind, 'failed')
  isBroken = false
  await saver.flush()
  assert.equal(saver.state().kind, 'saved')
})

test('what is changed while a save goes on is sent when the page is left, under the revision that this one makes', async () => {
  const sent: [number, string | undefined][] = []
  const answers: (() => void)[] = []
  const saver = open(3, async ({ revision, cues }) => {
    sent.push([revision, cues[0]?.name])
    await new Promise<void>((resolve) => answers.push(resolve))
    return { revision: revision + 1 }
  })
  saver.note(content('one'))
  const first = saver.flush()
  saver.note(content('two'))
  saver.leave()
  // Both come when a page goes, and once is enough.
  const second = saver.flush()
  saver.leave()
  assert.deepEqual(sent, [
    [3, 'one'],
    [4, 'two'],
  ])
  for (const answer of answers) answer()
  await Promise.all([first, second])
  assert.equal(saver.state().kind, 'saved')
  // The page may come back.
  saver.note(content('three'))
  saver.leave()
  assert.deepEqual(sent.at(-1), [5, 'three'])
  answers.at(-1)?.()
  await saver.flush()
  assert.equal(sent.length, 3)
})
