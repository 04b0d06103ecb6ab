import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, describeError, readApiError } from './api-error.ts'
import { applyFieldProblems, matchProblems } from './form-problems.ts'

const body = (content: unknown, init: ResponseInit) => new Response(JSON.stringify(content), init)

test('an error answer keeps its message, kind and fields', async () => {
  const fields = [{ path: 'mtu', code: 'too_small', message: 'must be at least 1280' }]
  const error = await readApiError(
    body({ error: 'Bad Request', message: 'Not valid', details: { fields } }, { status: 422 }),
  )
  assert.equal(error.status, 422)
  assert.equal(error.kind, 'Bad Request')
  assert.deepEqual(error.fields, fields)
  assert.equal(describeError(error), 'Mtu must be at least 1280')
})

test('a conflict assigns its whole message to its field', async () => {
  const error = await readApiError(
    body({ error: 'Conflict', message: 'The name is taken', details: { field: 'name' } }, { status: 409 }),
  )
  assert.deepEqual(error.fields, [{ path: 'name', code: 'conflict', message: 'The name is taken' }])
})

test('an answer that is not JSON still has a message', async () => {
  const error = await readApiError(new Response('<h1>Bad gateway</h1>', { status: 502 }))
  assert.equal(describeError(error), 'The server answered 502')
})

test('a 429 error says when to try again', async () => {
  const error = await readApiError(body({ message: 'x' }, { status: 429, headers: { 'retry-after': '12' } }))
  assert.equal(error.retryAfter, 12)
  assert.equal(describeError(error), 'Too many requests. Try again in 12 seconds.')
})

test('field problems are assigned to their inputs, and the rest become sentences', () => {
  const matched = matchProblems(
    [
      { path: 'ip_whitelist.2', code: 'x', message: 'must be an address' },
      { path: 'ip_whitelist.3', code: 'x', message: 'must be another' },
      { path: 'listen_port', code: 'x', message: 'must be at most 65535' },
      { path: '', code: 'x', message: 'must change at least one member' },
    ],
    ['ip_whitelist', 'name'],
  )
  assert.deepEqual(matched.shown, [{ path: 'ip_whitelist', message: 'Must be an address' }])
  assert.deepEqual(matched.rest, ['Listen port must be at most 65535', 'Must change at least one member'])
})

test('a form shows field problems at its inputs and returns any other error as a message', () => {
  const told: [string, string][] = []
  const form = {
    getValues: () => ({ name: '' }),
    setFieldError: (path: string, text: string) => told.push([path, text]),
  }
  const error = new ApiError('The name is taken', { status: 409, details: { field: 'name' } })
  assert.equal(applyFieldProblems(form, error), null)
  assert.deepEqual(told, [['name', 'The name is taken']])
  assert.equal(applyFieldProblems(form, new ApiError('Not there', { status: 404 })), 'Not there')
})

test('a problem of an entry in a list stands at the field of that entry', () => {
  const told: [string, string][] = []
  const form = {
    getValues: () => ({ clients: [{ name: 'a' }, { name: 'b', allowed: [] }] }),
    setFieldError: (path: string, text: string) => told.push([path, text]),
  }
  const problem = (path: string) => ({ path, code: 'x', message: `is wrong at ${path}` })
  const fields = [problem('clients.1.name'), problem('clients.1.allowed.3'), problem('clients.7.name')]
  assert.equal(applyFieldProblems(form, new ApiError('Wrong', { status: 422, details: { fields } })), null)
  assert.deepEqual(
    told.map(([path]) => path),
    ['clients.1.name', 'clients.1.allowed', 'clients'],
  )
})

test('a problem document is read like the error envelope', async () => {
  const problem = {
    type: 'urn:device-api:problem:invalid_request',
    title: 'The request is not valid',
    status: 422,
    detail: 'host is missing',
    code: 'invalid_request',
    errors: [{ parameter: 'host', code: 'invalid_type', detail: 'is missing' }],
  }
  const error = await readApiError(body(problem, { status: 422 }))
  assert.equal(error.kind, 'invalid_request')
  assert.deepEqual(error.fields, [{ path: 'host', code: 'invalid_type', message: 'is missing' }])
  assert.equal(describeError(error), 'Host is missing')
  const conflict = await readApiError(
    body(
      { code: 'dispatch_capability_conflict', detail: 'An operation depends on it', operation_id: 'ab' },
      { status: 409 },
    ),
  )
  assert.equal(conflict.message, 'An operation depends on it')
  assert.equal(conflict.details['operation_id'], 'ab')
  assert.equal(conflict.details['reason'], 'dispatch_capability_conflict')
})

test('a bare detail is used as the message, and the members beside it are kept', async () => {
  const error = await readApiError(body({ detail: 'duplicate_job', existing_job: { id: 'a' } }, { status: 409 }))
  assert.equal(error.message, 'duplicate_job')
  assert.deepEqual(error.details['existing_job'], { id: 'a' })
  const coded = await readApiError(body({ detail: 'Load the page again', error: 'trap' }, { status: 400 }))
  assert.equal(coded.kind, 'trap')
})

test('field problems are found beside a bare detail and beside a code', async () => {
  const errors = [{ field: 'domains.0', message: 'is taken', site_id: 4 }]
  const bare = await readApiError(body({ detail: 'domains.0 is taken', errors }, { status: 422 }))
  assert.deepEqual(bare.fields, [{ path: 'domains.0', code: '', message: 'is taken' }])
  assert.deepEqual(bare.details['errors'], errors)
  const coded = await readApiError(body({ detail: 'domains.0 is taken', code: 'taken', errors }, { status: 422 }))
  assert.deepEqual([coded.kind, coded.fields], ['taken', bare.fields])
  assert.deepEqual(coded.details['errors'], errors)
})
