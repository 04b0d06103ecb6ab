import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  adminListen,
  AdminAddressRefused,
  formatAdminAddress,
  isAdminHost,
  parseAdminAddress,
} from './admin-address.ts'

test('addresses are parsed in Caddy’s notation and written the same way', () => {
  for (const [text, listen] of [
    ['http://127.0.0.1:2019', '127.0.0.1:2019'],
    ['http://[::1]:2019', '[::1]:2019'],
    ['http://caddy:2019', 'caddy:2019'],
    ['unix//run/caddy/admin.sock', 'unix//run/caddy/admin.sock'],
  ] as const) {
    assert.equal(formatAdminAddress(parseAdminAddress(text)), text)
    assert.equal(adminListen(parseAdminAddress(text)), listen)
  }
})

test('an invalid or publicly reachable address is refused', () => {
  const wrong = [
    '',
    'localhost:2019',
    'https://127.0.0.1:2019',
    'http://127.0.0.1:2019/config',
    'http://a:b@127.0.0.1:2019',
    'http://:b@127.0.0.1:2019',
    'http://127.0.0.1:2019#x',
    'ftp://127.0.0.1:2019',
    'file:///run/caddy/admin.sock',
  ]
  const foreign = [
    'http://8.8.8.8:2019',
    'http://169.254.169.254',
    'http://[fe80::1]:2019',
    'http://[fd00:ec2::254]:80',
    'http://0.0.0.0:2019',
    // The same in other spellings, and metadata that lies in private networks.
    'http://2852039166',
    'http://0xa9fea9fe',
    'http://169.254.43518',
    'http://[::ffff:169.254.169.254]',
    'http://[::ffff:8.8.8.8]:2019',
    'http://100.100.100.200',
    'http://[fd20:ce::254]',
    'http://metadata.google.internal',
    'http://METADATA.google.internal.',
  ]
  for (const text of [...wrong, ...foreign, 'unix/relative', `unix//${'long'.repeat(40)}`, 'unix//a|0222'])
    assert.throws(() => parseAdminAddress(text), AdminAddressRefused, text)
})

test('only loopback and private networks may hold admin endpoints', () => {
  for (const near of [
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.7.7',
    '100.64.0.1',
    'fd12::1',
    '::ffff:10.0.0.1',
  ])
    assert.equal(isAdminHost(near), true, near)
  for (const far of [
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '169.254.1.1',
    'fe80::1',
    '2001:db8::1',
    '::ffff:8.8.8.8',
    '0.0.0.0',
    '::',
    '100.100.100.200',
    'fd20:ce::254',
    '127.0.0.1.example.org',
  ])
    assert.equal(isAdminHost(far), false, far)
})
