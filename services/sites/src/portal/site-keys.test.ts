import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSiteKeys } from './site-keys.ts'

const id = '0190c0de-0000-7000-8000-000000000000'
const keys = createSiteKeys(new Uint8Array(32))

test('a key names its session at its site and host alone, and tells nobody else the id', () => {
  const key = keys.create(id, 1, 'a.test')
  assert.equal(keys.read(key, 1, 'a.test'), id)
  assert.equal(keys.read(key, 2, 'a.test'), undefined)
  assert.equal(keys.read(key, 1, 'b.test'), undefined)
  assert.equal(createSiteKeys(new Uint8Array(32).fill(1)).read(key, 1, 'a.test'), undefined)
  const readable = key.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
  for (const text of [key, ...readable]) assert.doesNotMatch(text, /0190c0de/)
})

test('a changed key names nothing', () => {
  const key = keys.create(id, 1, 'a.test')
  for (const changed of [`${key}xx`, key.slice(0, -2), key.replace('v1', 'v2'), `v1.${key}`, '', 'v1..', id])
    assert.equal(keys.read(changed, 1, 'a.test'), undefined, changed)
})

test('a key of the version before still counts', () => {
  const old = `${id}.eJXai8F-YlB2_O8TTSxp8h6Lj4frMctmdsxIXX0joaA`
  assert.equal(keys.read(old, 1, 'a.test'), id)
  assert.equal(keys.read(old, 2, 'a.test'), undefined)
  assert.equal(keys.read(old.replace('0190', '0191'), 1, 'a.test'), undefined)
})
