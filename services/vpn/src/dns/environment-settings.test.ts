import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenSetting } from './environment-settings.ts'

test('addresses with ports are parsed, and a wrong one is named', () => {
  assert.deepEqual(listenSetting.parse('127.0.0.1:5353, [::1]:53'), [
    { address: '127.0.0.1', port: 5353, device: null },
    { address: '::1', port: 53, device: null },
  ])
  assert.deepEqual(listenSetting.parse(undefined), [])
  for (const wrong of ['localhost:53', '127.0.0.1', '::1:53', '127.0.0.1:0', '127.0.0.1:70000', '1.2.3.4:5:6'])
    assert.match(listenSetting.safeParse(wrong).error?.issues[0]?.message ?? '', new RegExp(wrong.slice(0, 5)))
})
