import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeText, changedText, durationText } from './revision-words.ts'

test('causes are described in words, several of them too', () => {
  assert.equal(causeText('site.updated site.created'), 'Site changed, site added')
  assert.equal(causeText('return to 12'), 'Return to revision 12')
  assert.equal(
    causeText('node.restarted web1 restore'),
    'Server web1 restarted, restored over what somebody else had changed',
  )
  assert.equal(causeText('something.new'), 'Something new')
  assert.equal(causeText(''), 'Unknown')
})

test('the first sites are named and the rest counted', () => {
  const site = (name: string) => ({
    site_id: 1,
    site_name: name,
    change: 'changed' as const,
    before_revision: 1,
    after_revision: 2,
  })
  const sites = ['a', 'b', 'c', 'd'].map(site)
  assert.equal(changedText({ sites, changed_sites: 120 }), 'a, b, c and 117 more')
  assert.equal(changedText({ sites: [], changed_sites: 0 }), 'no site')
})

test('durations are shown in short form', () => {
  assert.deepEqual([85, 1234].map(durationText), ['85 ms', '1.2 s'])
})
