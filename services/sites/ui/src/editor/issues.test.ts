import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blankDraft } from './blank-draft.ts'
import { withValue } from './draft.ts'
import { countIssues, issueAt, shownIssues } from './issues.ts'

const issues = [
  { field: 'domains.1', message: 'is not a domain' },
  { field: 'upstreams.0.url', message: 'is required' },
  { field: 'upstreams', message: 'needs at least one' },
]

test('a new site shows errors only for edited fields, and all of them after submitting', () => {
  const draft = withValue(blankDraft, 'domains', ['a.test', 'nonsense'])
  const shown = (isJudged: boolean) => shownIssues(issues, { base: blankDraft, draft, isJudged })
  assert.deepEqual(shown(false), [issues[0]])
  assert.equal(shown(true).length, 3)
})

test('a list field shows the errors of its entries, other fields only their own', () => {
  assert.equal(issueAt(issues, 'domains', true), 'Is not a domain')
  assert.equal(issueAt(issues, 'domains'), undefined)
  assert.equal(issueAt(issues, 'upstreams'), 'Needs at least one')
  assert.equal(issueAt(issues, 'upstreams.0.url'), 'Is required')
  assert.equal(issueAt(issues, 'upstreams.0', true), 'Is required')
})

test('a collapsed section counts its errors', () => {
  assert.equal(countIssues(issues, ['upstreams', 'lb']), 2)
  assert.equal(countIssues(issues, ['tls']), 0)
})
