import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsOf } from './installation.ts'
import { findServices } from './services.ts'

test('a command of an installed service works on the data that are its own, with the rights that it needs', () => {
  const vpn = findServices().find(({ name }) => name === 'vpn')
  assert.ok(vpn !== undefined)
  const needs = (line: string) => needsOf(vpn, line.split(' '))
  assert.deepEqual(needs('vpn node leave'), { data: 'vpn-node', capability: 'net_admin' })
  assert.deepEqual(needs('vpn node join https://vpn.example.org:8110 --token-file -'), { data: 'vpn-node' })
  assert.deepEqual(needs('vpn down'), { capability: 'net_admin' })
  assert.deepEqual(needs('vpn node list'), {}, 'the nodes of a service stand in its data')
  assert.deepEqual(needs('vpn serve'), {})
  assert.deepEqual(needs('vpn'), {})
})
