import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointProblem, reachOf } from './endpoint-words.ts'

test('a typed public endpoint is classified by its reach', () => {
  for (const host of ['127.0.0.1', '::1', 'localhost', '0.0.0.0']) assert.equal(reachOf(host, []), 'loopback', host)
  for (const host of ['192.168.1.4', '10.1.1.1', '172.20.0.1', '100.64.0.1', 'nas', 'nas.local', 'fd00::1'])
    assert.equal(reachOf(host, []), 'private', host)
  for (const host of ['vpn.example.org', '81.2.69.142', '2a01:4f8::1', '172.32.0.1'])
    assert.equal(reachOf(host, []), 'public', host)
  assert.equal(reachOf('NAS', [{ host: 'nas', reach: 'public' }]), 'public')
})

test('an unreachable public endpoint is named with what to do', () => {
  assert.match(endpointProblem('127.0.0.1', 'loopback')?.title ?? '', /cannot connect to 127\.0\.0\.1/)
  assert.match(endpointProblem('192.168.1.4', 'private')?.title ?? '', /same network only/)
  assert.equal(endpointProblem('vpn.example.org', 'public'), undefined)
})
