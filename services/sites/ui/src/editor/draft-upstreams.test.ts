import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blankDraft, blankPath } from './blank-draft.ts'
import { upstreamsOf } from './draft-upstreams.ts'

const rows = (...urls: string[]) => urls.map((url) => ({ url, weight: 1, max_requests: null }))

test('the upstreams of a proxy and of its paths are checked, each once, and nothing half typed', () => {
  const upstreams = rows('http://10.0.0.5:8080 ', 'http://', '', '10.0.0.6', 'unix//run/app.sock')
  const paths = [
    { ...blankPath, kind: 'proxy' as const, upstreams: rows('http://10.0.0.5:8080', 'https://a.test') },
    { ...blankPath, kind: 'respond' as const, upstreams: rows('http://b.test') },
  ]
  assert.deepEqual(upstreamsOf({ ...blankDraft, upstreams, paths }), [
    'http://10.0.0.5:8080',
    'unix//run/app.sock',
    'https://a.test',
  ])
  assert.deepEqual(upstreamsOf({ ...blankDraft, kind: 'respond', upstreams }), [])
})
