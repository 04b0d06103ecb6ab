import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../api.ts'
import { newNodeValues, nodeValues, toNodeCreate, toNodeUpdate } from './node-values.ts'
import { missingAbilities } from './node-words.ts'

const node = {
  name: 'second',
  admin_url: 'unix//run/caddy/admin.sock',
  http_port: 80,
  https_port: 443,
  bind: ['192.0.2.1', '2001:db8::1'],
  log_file: null,
} as Node

test('an unchanged server sends nothing, a changed one its differences', () => {
  const values = nodeValues(node)
  assert.equal(values.bind, '192.0.2.1, 2001:db8::1')
  assert.equal(toNodeUpdate(values, node), undefined)
  assert.deepEqual(toNodeUpdate({ ...values, bind: ' 192.0.2.1 ', https_port: '', log_file: '/var/log/a.log' }, node), {
    bind: ['192.0.2.1'],
    log_file: '/var/log/a.log',
  })
})

test('a new server has the default web ports, and no log unless a path is given', () => {
  const values = { ...newNodeValues, name: ' second ', http_port: '' as const, admin_url: ' unix//a ' }
  assert.deepEqual(toNodeCreate(values), {
    name: 'second',
    admin_url: 'unix//a',
    http_port: 80,
    https_port: 443,
    bind: [],
    log_file: null,
  })
})

test('only missing features that matter are named', () => {
  assert.equal(missingAbilities({ capabilities: null }), undefined)
  assert.deepEqual(missingAbilities({ capabilities: { weightedRoundRobin: true, tlsCaField: false } }), [])
  assert.deepEqual(missingAbilities({ capabilities: { queryPolicy: false } }), ['No balancing by a query parameter'])
})
