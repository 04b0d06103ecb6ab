import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageNames } from './page-names.ts'

const row = (name: string, created: number) => ({
  name,
  address: '10.8.0.1/24',
  address6: 'fd08::1/64',
  created_at: created,
})

test('the page of every interface has the short name, and one of its own that no other has', () => {
  const labels = (isTaken: boolean) =>
    pageNames([row('wg_0', 2), row('wg-0', 3), row('Home_', 1)], isTaken).map((names) => [
      names.interface,
      names.labels,
    ])
  assert.deepEqual(labels(false), [
    ['Home_', ['my', 'my.home']],
    ['wg_0', ['my', 'my.wg-0']],
    ['wg-0', ['my']],
  ])
  assert.deepEqual(labels(true)[0], ['Home_', ['my.home']], 'a peer has it')
  assert.deepEqual(pageNames([row('wg0', 1)], false)[0]?.addresses, ['10.8.0.1', 'fd08::1'])
})
