import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looksLikeDomain, ruleValues, toRule } from './rule-values.ts'

test('a rule survives its form unchanged', () => {
  const rule = { action: 'allow', domain: '*.shop.example', client: 'Phone' } as const
  assert.deepEqual(toRule(ruleValues(rule)), rule)
  assert.deepEqual(toRule({ ...ruleValues(rule), client: '  ' }), { ...rule, client: null })
})

test('only what can be a domain is previewed', () => {
  const texts = ['ads.example', '*.ads.example', 'bücher.example', 'localhost', 'ads.', '', 'a b.example', 'x.y.']
  assert.deepEqual(texts.map(looksLikeDomain), [true, true, true, false, false, false, false, false])
})
