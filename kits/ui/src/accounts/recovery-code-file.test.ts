import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeFile } from './recovery-code-file.ts'

test('the file of recovery codes names the account', () => {
  const text = codeFile(['aa', 'bb'], { username: 'mara', service: 'Sites', address: 'https://sites.example.org' })
  assert.match(text, /^Recovery codes of mara at Hearth Sites, https:\/\/sites\.example\.org\n/)
  assert.deepEqual(text.trim().split('\n').slice(-2), ['aa', 'bb'])
})
