import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leftOutText, proposedName, updateProgress, updateText } from './list-words.ts'

const part = {
  id: 'a',
  name: 'List',
  status: 'updated' as const,
  entries: 10,
  added: 1200,
  removed: 0,
  duration_ms: 5,
  error: null,
}

test('the result of a list update is summarised in a few words', () => {
  assert.equal(updateText(part), '+1,200')
  assert.equal(updateText({ ...part, removed: 3 }), '+1,200, −3')
  assert.equal(updateText({ ...part, added: 0 }), 'nothing new')
  assert.equal(updateText({ ...part, status: 'running' }), 'downloading')
  assert.equal(updateText({ ...part, status: 'failed', error: 'the server answered 404' }), 'the server answered 404')
})

test('a list is done when it is loaded or has failed', () => {
  const lists = [part, { ...part, status: 'running' as const }, { ...part, status: 'failed' as const }]
  assert.deepEqual(updateProgress({ started_at: '', status: 'running', lists }), { done: 2, of: 3 })
})

test('a list gets its name from its URL', () => {
  const names = ['https://lists.example/big/hosts.txt', 'https://lists.example/', 'no address'].map(proposedName)
  assert.deepEqual(names, ['hosts (lists.example)', 'lists.example', ''])
})

test('reasons are shown as text, and unknown ones verbatim', () => {
  assert.deepEqual(['single label', 'modifier script', 'something new'].map(leftOutText), [
    'A name without a dot',
    'Only in some cases ($script)',
    'something new',
  ])
})
