import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLinkBase, shareAddress } from './share-address.ts'

test('every malformed token redirects to the same address', () => {
  for (const token of [
    '',
    'short',
    'x'.repeat(129),
    'x'.repeat(5000),
    '%zz',
    '%00',
    'a/b',
    '../etc/passwd',
    'ab cd%20ef',
    'ä',
  ])
    assert.equal(shareAddress(`/share/${token}`), '/share/-', token)
  assert.equal(shareAddress('/share/bad!?download=1'), '/share/-?download=1')
  for (const file of ['', '0', '01', '1000', '1.png', '1.jpg/', 'x', '../1', '%31', 'all.zip.exe', '1'.repeat(5000)])
    assert.equal(shareAddress(`/share/abcdefgh/${file}`), '/share/-', file)
})

test('a well-formed token, and every other address, is kept', () => {
  for (const url of [
    '/share/abcdefgh',
    '/share/abcdefgh/1',
    '/share/abcdefgh/100.jpg?x=1',
    '/share/abcdefgh/12.json',
    '/share/abcdefgh/all.zip',
    '/share/AAAAAAAAAAAAAAAAAAAAAA?download=1',
    '/shared/%zz',
    '/api/share/x',
    '/',
    '',
  ])
    assert.equal(shareAddress(url), url)
})

test('links use the configured host, then the public address, then the caller’s', () => {
  let publicHostname = ''
  const client = { origin: 'http://192.168.1.5:8103' }
  const local = createLinkBase({ publicHostname: () => publicHostname, publicUrl: undefined })
  const published = createLinkBase({
    publicHostname: () => publicHostname,
    publicUrl: 'https://media.example.org:8443/',
  })
  assert.equal(local(client), 'http://192.168.1.5:8103')
  assert.equal(published(client), 'https://media.example.org:8443')
  publicHostname = 'files.example.org'
  assert.equal(local(client), 'https://files.example.org')
  assert.equal(published(client), 'https://files.example.org')
  publicHostname = '2001:db8::1'
  assert.equal(local(client), 'https://[2001:db8::1]')
})
