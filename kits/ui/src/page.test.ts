import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayOpen, pageHref, placeOf } from './page.ts'

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

test('a page of the second rank leaves the bar of a phone for the account menu', () => {
  assert.equal(placeOf({ place: 'more' }, false), 'navigation')
  assert.equal(placeOf({ place: 'more' }, true), 'menu')
  assert.equal(placeOf({ place: 'navigation' }, true), 'navigation')
  assert.equal(placeOf({ place: 'menu' }, false), 'menu')
  assert.equal(placeOf({ place: 'hidden' }, false), 'hidden')
})
