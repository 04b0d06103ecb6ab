import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayOpen, pageHref, placementOf } from './page.ts'

test('a navigation link omits the path parameters of its page', () => {
  assert.equal(pageHref({ path: '/' }), '/')
  assert.equal(pageHref({ path: '/peers/:id?' }), '/peers')
  assert.equal(pageHref({ path: '/:id' }), '/')
})

test('administrators see every page, other users only the pages for everyone', () => {
  assert.equal(mayOpen({ role: 'admin' }, 'admin'), true)
  assert.equal(mayOpen({ role: 'admin' }, 'user'), false)
  assert.equal(mayOpen({ role: 'user' }, 'user'), true)
  assert.equal(mayOpen({ role: 'admin' }, 'something new'), false)
})

test('on a phone secondary pages move from the navigation bar to the account menu', () => {
  assert.equal(placementOf({ placement: 'more' }, false), 'navigation')
  assert.equal(placementOf({ placement: 'more' }, true), 'menu')
  assert.equal(placementOf({ placement: 'navigation' }, true), 'navigation')
  assert.equal(placementOf({ placement: 'menu' }, false), 'menu')
  assert.equal(placementOf({ placement: 'hidden' }, false), 'hidden')
})
