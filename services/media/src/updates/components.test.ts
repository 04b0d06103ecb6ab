import assert from 'node:assert/strict'
import { test } from 'node:test'
import { componentSources, isNewer } from './components.ts'

const { ytdlp, js_runtime, ffmpeg } = componentSources(undefined)

test('a release’s tag is its version, with or without a leading letter', () => {
  assert.equal(ytdlp.read({ tag_name: '2026.08.19' }), '2026.08.19')
  assert.equal(js_runtime.read({ tag_name: 'v26.10.0', assets: [] }), '26.10.0')
  for (const answer of [{}, null, [], { tag_name: 'latest' }, { tag_name: 7 }, { tag_name: '<script>' }])
    assert.throws(() => ytdlp.read(answer))
})

test('for a project with tags only, the highest version counts', () => {
  const tags = ['n9.0', 'n10.1', 'n10.0.2', 'n10.2-dev', 'n7', 'nightly'].map((tag) => ({ ref: `refs/tags/${tag}` }))
  assert.equal(ffmpeg.read(tags), '10.1')
  assert.throws(() => ffmpeg.read([]))
  assert.throws(() => ffmpeg.read({ message: 'Not Found' }))
})

test('versions are compared by their leading numbers', () => {
  assert.equal(isNewer('2025.11.12', '2025.04.30'), true)
  assert.equal(isNewer('2025.04.30', '2025.04.30'), false)
  assert.equal(isNewer('2025.04.30.1', '2025.04.30'), true)
  assert.equal(isNewer('10.0', '9.9.9'), true)
  assert.equal(isNewer('8.0', '5.1.9-0+deb12u1'), true)
  assert.equal(isNewer('5.1.9', '5.1.9-0+deb12u1'), false)
  assert.equal(isNewer('8.0', 'N-118000-g1234'), false, 'between two versions nobody knows')
  assert.equal(isNewer('', '1.0'), false)
})
