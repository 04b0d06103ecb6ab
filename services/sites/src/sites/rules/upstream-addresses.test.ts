import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRuleContext } from '../../../test/rule-contexts.ts'
import type { RuleContext } from './rule-context.ts'
import { upstreamProblem } from './upstream-rules.ts'

const problemOf = (url: string, members: Partial<RuleContext> = {}) => upstreamProblem(url, makeRuleContext(members))

test('a local address is recognised in every spelling', () => {
  const localHosts = ['192.168.1.10', 'fd12:3456::7']
  for (const host of [
    '[::ffff:192.168.1.10]',
    '[::ffff:c0a8:10a]',
    '[0:0:0:0:0:ffff:192.168.1.10]',
    '[fd12:3456:0:0:0:0:0:7]',
    '[FD12:3456::0007]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
  ])
    assert.match(problemOf(`http://${host}:8104`, { localHosts }) ?? 'allowed', /must not be a site/, host)
})

test('the admin API of another machine is recognised by name and address', () => {
  const protectedAddresses = ['10.0.0.9:2019', 'caddy.house.test:2019']
  for (const host of ['10.0.0.9', '[::ffff:10.0.0.9]', '[::ffff:a00:9]', 'caddy.house.test', 'CADDY.house.test.'])
    assert.match(problemOf(`http://${host}:2019`, { protectedAddresses }) ?? 'allowed', /must not be a site/, host)
  assert.equal(problemOf('http://10.0.0.9:2020', { protectedAddresses }), undefined)
})

test('the admin socket cannot be reached through path variations', () => {
  const context = { socketDirectories: ['/run'] }
  assert.equal(problemOf('unix//run/app.sock', context), undefined)
  for (const path of [
    '/run/caddy/admin.sock',
    '/run/./caddy/admin.sock',
    '/run//caddy/admin.sock',
    '//run/caddy/admin.sock',
  ])
    assert.notEqual(problemOf(`unix/${path}`, context), undefined, path)
})

test('metadata services of every cloud are refused, also as IPv4-mapped IPv6 addresses', () => {
  for (const host of [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '[fd00:ec2::254]',
    '[fd00:0ec2:0:0::254]',
    '[fd20:ce::254]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '[::169.254.169.254]',
    'metadata.google.internal.',
    'Metadata.Google.Internal',
    'metadata',
    'instance-data.ec2.internal',
  ])
    assert.match(problemOf(`http://${host}`) ?? 'allowed', /metadata/, host)
})
