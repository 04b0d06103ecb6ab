import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMethodCheck } from './method-check.ts'

const check = createMethodCheck([
  { path: '/api/users', method: 'GET' },
  { path: '/api/users', method: 'POST' },
  { path: '/api/users/me', method: 'GET' },
  { path: '/api/users/{id}', method: 'DELETE' },
  { path: '/d/{name}/file:raw', method: 'GET' },
])

test('a path with another method has those that it takes; its own method and unknown paths have none', () => {
  assert.deepEqual(check('PATCH', '/api/users'), ['GET', 'POST'])
  assert.deepEqual(check('POST', '/api/users/7?by=name'), ['DELETE'])
  assert.deepEqual(check('DELETE', '/d/a/file:raw'), ['GET'])
  for (const [method, url] of [
    ['GET', '/api/users'],
    ['HEAD', '/api/users?page=2'],
    ['DELETE', '/api/users/7'],
    ['GET', '/api/none'],
    ['OPTIONS', '/api/users'],
    ['GET', '/api/users/%E0%A4%A'],
    ['POST', `/api/users/${'x'.repeat(300)}`],
    ['GET', '//'],
    ['GET', '*'],
  ] as const)
    assert.equal(check(method, url), undefined, `${method} ${url}`)
})

test('the path that names more decides, as in the router', () => {
  assert.deepEqual(check('DELETE', '/api/users/me'), ['GET'])
  assert.deepEqual(check('GET', '/api/users/them'), ['DELETE'])
})
