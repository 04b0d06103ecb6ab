import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayOpen, pageHref } from './page.ts'

test('navigation leads to the page without its parameters', () => {
  assert.equal(pageHref({ path: '/' }), '/')
  assert.equal(pageHref({ path: '/peers/:id?' }), '/peers')
  assert.equal(pageHref({ path: '/:id' }), '/')
})

test('administrators see every page, others those for everyone', () => {
  assert.equal(mayOpen({ role: 'admin' }, 'admin'), true)
  assert.equal(mayOpen({ role: 'admin' }, 'user'), false)
  assert.equal(mayOpen({ role: 'user' }, 'user'), true)
  assert.equal(mayOpen({ role: 'admin' }, 'something new'), false)
})
