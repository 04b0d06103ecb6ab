import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressSet, createServer, HttpError } from '@hearth/http'
import { createLog } from '@hearth/runtime'
import { sendRequest, type Reply } from '@hearth/testing'
import { createConformance, openApiProblems } from '@hearth/testing/conformance'
import { openListWorld } from '../../test/list-world.ts'
import { about } from '../about.ts'
import { openapiDocument } from '../openapi.ts'
import { toError } from '../problems.ts'
import { defaultLists } from './default-lists.data.ts'
import { listRoutes } from './routes.ts'

/** The endpoints on their own server; the token is the caller's role. */
async function openRoutes() {
  const world = await openListWorld()
  const changed: (string | null)[] = []
  const http = await createServer({
    routes: listRoutes(world.lists, (event) => void (event.type === 'changed' && changed.push(event.id))),
    about,
    async guard({ request }, spec) {
      const role = request.headers.authorization?.replace('Bearer ', '')
      if (role === undefined) throw new HttpError({ kind: 'unauthenticated' })
      if (spec?.access === 'admin' && role !== 'admin') throw new HttpError({ kind: 'forbidden' })
      return { userId: 'x', username: role, role, via: { kind: 'session', key: '', passwordChangeRequired: false } }
    },
    toError,
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'test', level: 'silent' }),
    pages: new URL('.', import.meta.url).pathname,
  })
  const conformance = createConformance(await openapiDocument())
  const call = async (method: string, path: string, body?: unknown, token = 'admin'): Promise<Reply> => {
    const reply = await sendRequest(http, { method, path: `/api/dns/blocklists${path}` }, { body, token })
    conformance.check(method, `/api/dns/blocklists${path}`.replace(/\?.*/, ''), {
      status: reply.status,
      contentType: reply.headers['content-type'] ?? '',
      body: reply.body,
    })
    return reply
  }
  return {
    world,
    http,
    changed,
    call,
    async [Symbol.asyncDispose]() {
      await http.close()
      await world[Symbol.asyncDispose]()
    },
  }
}

test('lists are managed through the API, and every response matches its schema', async () => {
  await using api = await openRoutes()
  const { call, world } = api
  assert.deepEqual(await openApiProblems(await openapiDocument()), [])
  const first = await call('GET', '')
  assert.deepEqual([first.status, first.body.total, first.body.limit], [200, defaultLists.length, 100])
  for (const { id } of first.body.data) assert.equal((await call('DELETE', `/${id}`)).status, 200)
  assert.equal((await call('POST', '/update')).body.message, 'No list is enabled')
  world.answers.set('/one?key=secret', 'a.example\n##.banner\n')
  const made = await call('POST', '', { name: '  One ', url: `${world.url('/one?key=secret')}#part` })
  assert.equal(made.status, 201)
  const { id, name, url, format, enabled } = made.body.data
  assert.deepEqual([name, url, format, enabled], ['One', world.url('/one?key=secret'), 'auto', true])
  const updated = await call('POST', '/update')
  assert.deepEqual([updated.body.data.status, updated.body.message], ['done', '1 updated, 0 unchanged, 0 failed'])
  assert.equal(updated.body.data.lists[0].entries, 1)
  const [list] = (await call('GET', '')).body.data
  assert.deepEqual([list.entries, list.unsupported, list.unsupported_reasons], [1, 1, { cosmetic: 1 }])
  const [seen] = (await call('GET', '', undefined, 'user')).body.data
  assert.equal(seen.url, world.url(''), 'a user is not shown what may be a secret')
  const renamed = await call('PUT', `/${id}`, { name: 'Two', enabled: false })
  assert.deepEqual([renamed.status, renamed.body.data.name, renamed.body.message], [200, 'Two', 'List Two changed'])
  assert.equal((await call('POST', '', { name: 'two', url: world.url('/x') })).status, 409)
  const gone = await call('DELETE', `/${id}`)
  assert.deepEqual(gone.body, { success: true, data: { id, name: 'Two' }, message: 'List Two deleted' })
  assert.equal((await call('PUT', `/${id}`, { name: 'x' })).status, 404)
  assert.equal((await call('DELETE', `/${id}`)).status, 404)
  assert.equal((await call('DELETE', '/..%2f..%2fetc')).status, 404)
  assert(api.changed.includes(id))
})

test('an invalid list is refused, and the error names the field', async () => {
  await using api = await openRoutes()
  const wrong: [object, string][] = [
    [{ url: 'https://a.example/' }, 'name'],
    [{ name: '', url: 'https://a.example/' }, 'name'],
    [{ name: 'a\u0000b', url: 'https://a.example/' }, 'name'],
    [{ name: 'a\u202eb', url: 'https://a.example/' }, 'name'],
    [{ name: 'x'.repeat(65), url: 'https://a.example/' }, 'name'],
    [{ name: 'x' }, 'url'],
    ...[
      '',
      'a.example',
      'ftp://a.example/',
      'file:///etc/passwd',
      'https://',
      'javascript:alert(1)',
      '/etc/passwd',
    ].map((url): [object, string] => [{ name: 'x', url }, 'url']),
    [{ name: 'x', url: 'https://user:word@a.example/' }, 'url'],
    [{ name: 'x', url: `https://a.example/${'x'.repeat(2048)}` }, 'url'],
    [{ name: 'x', url: 'https://a.example/', format: 'rpz' }, 'format'],
    [{ name: 'x', url: 'https://a.example/', enabled: 'yes' }, 'enabled'],
  ]
  for (const [body, path] of wrong) {
    const reply = await api.call('POST', '', body)
    assert.equal(reply.status, 422, JSON.stringify(body))
    assert.equal(reply.body.details.fields[0].path, path, JSON.stringify(body))
  }
  assert.equal((await api.call('POST', '', { name: 'x', url: 'https://a.example/', more: 1 })).status, 422)
  const [{ id }] = (await api.call('GET', '')).body.data
  assert.equal((await api.call('PUT', `/${id}`, {})).status, 422)
  assert.deepEqual(api.world.asked, [])
})

test('users can read, administrators can change', async () => {
  await using api = await openRoutes()
  const [{ id }] = (await api.call('GET', '', undefined, 'user')).body.data
  assert.equal((await api.call('POST', '', { name: 'x', url: 'https://a.example/' }, 'user')).status, 403)
  assert.equal((await api.call('PUT', `/${id}`, { enabled: false }, 'user')).status, 403)
  assert.equal((await api.call('DELETE', `/${id}`, undefined, 'user')).status, 403)
  assert.equal((await api.call('POST', '/update', undefined, 'user')).status, 403)
})
