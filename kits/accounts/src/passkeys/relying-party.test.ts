import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRelyingParty } from './relying-party.ts'

const read = (publicUrl?: string, publicOrigins: string[] = [], rpId?: string) => {
  const party = readRelyingParty({ publicUrl, publicOrigins, rpId })
  return [party.id, ...party.origins(8104)]
}

test('without settings the relying party is localhost', () => {
  assert.deepEqual(read(), ['localhost', 'http://localhost:8104'])
  assert.deepEqual(read('http://localhost:8443/'), ['localhost', 'http://localhost:8443', 'http://localhost:8104'])
})

test('the relying party is the published host name, not the local one', () => {
  assert.deepEqual(read('https://sites.example.org/'), ['sites.example.org', 'https://sites.example.org'])
  assert.deepEqual(read('https://SITES.example.org:8443'), ['sites.example.org', 'https://sites.example.org:8443'])
})

test('the relying party of several origins is their common parent domain', () => {
  assert.deepEqual(read('https://a.example.org', ['https://b.example.org:444'], 'Example.org'), [
    'example.org',
    'https://a.example.org',
    'https://b.example.org:444',
  ])
  assert.throws(() => read('https://a.example.org', ['https://b.example.org']), /^OperatorError: RP_ID: is needed/)
})

test('with an IP address as origin the relying party is localhost', () => {
  for (const url of ['http://192.168.1.5:8104', 'http://127.0.0.1:8104', 'http://[fd00::1]:8104', 'https://10.0.0.1'])
    assert.deepEqual(read(url), ['localhost', 'http://localhost:8104'], url)
})

test('invalid settings are refused with their names', () => {
  assert.throws(() => read('http://sites.example.org'), /PUBLIC_URL: must be https/)
  assert.throws(() => read(undefined, ['http://sites.example.org']), /PUBLIC_ORIGIN: must be https/)
  assert.throws(() => read('https://sites.example.org', [], 'example.net'), /RP_ID: sites\.example\.org in PUBLIC_URL/)
  assert.throws(() => read('https://badexample.org', [], 'example.org'), /RP_ID: badexample\.org/)
  assert.throws(() => read(undefined, [], 'example.org'), /PUBLIC_URL: is needed with RP_ID/)
  assert.throws(() => read('https://10.0.0.1', [], '10.0.0.1'), /RP_ID: must be a host name/)
})
