import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessRule } from '../api.ts'
import { moved, readPorts, ruleText, ruleValues, serviceText } from './access-values.ts'

const nothing = { id: null, name: null, network: null }
const rule = {
  from: { ...nothing, kind: 'everybody' },
  to: { ...nothing, kind: 'network', network: '192.168.1.0/24' },
  protocol: 'tcp',
  ports: ['80', '8000-8080'],
  action: 'deny',
  note: '',
} as unknown as AccessRule

test('a rule is a sentence', () => {
  assert.equal(ruleText(rule), 'Deny TCP ports 80, 8000-8080 from every device to 192.168.1.0/24')
  assert.equal(serviceText({ protocol: 'udp', ports: ['53'] }), 'UDP port 53')
  assert.equal(serviceText({ protocol: 'icmp', ports: [] }), 'ping')
  assert.equal(ruleText({ ...rule, to: { ...nothing, kind: 'group', name: 'Home' } }).endsWith('to Home'), true)
})

test('ports are read as people write them, and the form holds what the rule says', () => {
  assert.deepEqual(readPorts(' 80,443; 8000 - 8080 9–10'), ['80', '443', '8000-8080', '9-10'])
  assert.deepEqual(readPorts(''), [])
  assert.equal(ruleValues(rule).ports, '80, 8000-8080')
  assert.equal(ruleValues(undefined).action, 'deny')
})

test('an entry moves to its place', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 'c', 0), ['c', 'a', 'b'])
  assert.deepEqual(moved(['a', 'b', 'c'], 'a', 2), ['b', 'c', 'a'])
  assert.deepEqual(moved(['a', 'b', 'c'], 'b', 1), ['a', 'b', 'c'])
})
