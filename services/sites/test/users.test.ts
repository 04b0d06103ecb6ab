import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Session, User } from '../src/accounts/schema.ts'
import { startSites, testPassword, type Browser, type Sites } from './in-process.ts'

interface Problem {
  detail: string
  code?: string
  errors?: { field?: string }[]
}

let sites: Sites
let admin: Browser
before(async () => {
  sites = await startSites()
  admin = await sites.signIn()
})
after(() => sites[Symbol.asyncDispose]())

const create = (json: object) => admin.json<User & Problem>('POST', '/api/users', { json })
const change = (id: string, json: object, by = admin) => by.json<User & Problem>('PATCH', `/api/users/${id}`, { json })
const ownId = async (browser: Browser) => (await browser.json<Session>('GET', '/api/session')).body.user.id

test('an account is created, listed without its secrets, renamed and deleted', async () => {
  const { status, body } = await create({ username: 'Grace.H', password: testPassword, role: 'user' })
  assert.deepEqual([status, body.username, body.role, body.is_active], [201, 'grace.h', 'user', true])
  const list = await admin.json<User[]>('GET', '/api/users')
  assert.deepEqual(
    list.body.map(({ username }) => username),
    ['admin', 'grace.h'],
  )
  assert.doesNotMatch(JSON.stringify(list.body), /argon|hash|handle/)
  assert.equal((await change(body.id, { username: 'hopper' })).body.username, 'hopper')
  const browser = await sites.signInAs('hopper')
  assert.equal((await admin.call('DELETE', `/api/users/${body.id}`)).status, 200)
  assert.equal((await browser.call('GET', '/api/session')).status, 401)
  assert.equal((await admin.call('DELETE', `/api/users/${body.id}`)).status, 404)
})

test('errors of an account name the field', async () => {
  const wrong: [object, string][] = [
    [{ username: '', password: testPassword }, 'username'],
    [{ username: 'a b', password: testPassword }, 'username'],
    [{ username: 'x'.repeat(51), password: testPassword }, 'username'],
    [{ username: 'ivan', password: 'short' }, 'password'],
    [{ username: 'ivan', password: 'iloveyou' }, 'password'],
    [{ username: 'ivan', password: testPassword, role: 'root' }, 'role'],
    [{ username: 'ivan', password: testPassword, id: 'x' }, 'id'],
  ]
  for (const [json, field] of wrong) {
    const { status, body } = await create(json)
    assert.deepEqual([status, body.errors?.[0]?.field], [422, field], JSON.stringify(json))
  }
  await sites.addUser('ivan', 'user')
  const taken = await create({ username: 'IVAN', password: testPassword })
  assert.deepEqual([taken.status, taken.body.code], [409, 'username_taken'])
  const { id } = await sites.addUser('judy', 'user')
  assert.equal((await change(id, { username: 'ivan' })).body.code, 'username_taken')
  assert.equal((await change(id, {})).status, 422)
  assert.equal((await change('none', { role: 'user' })).status, 404)
})

test('a role change, a new password and disabling end the user’s sessions', async () => {
  const { id } = await sites.addUser('kim', 'user')
  const password = 'another fine passphrase'
  for (const json of [{ role: 'admin' }, { is_active: false }, { is_active: true, password }]) {
    const browser = await sites.signInAs('kim').catch(() => undefined)
    assert.equal((await change(id, json)).status, 200)
    if (browser !== undefined) assert.equal((await browser.call('GET', '/api/session')).status, 401)
  }
  const browser = await sites.signInAs('kim', password)
  assert.equal((await change(id, { role: 'admin' })).status, 200)
  assert.equal((await browser.call('GET', '/api/users')).status, 200)
})

test('your own account cannot be demoted, disabled or deleted', async () => {
  const id = await ownId(admin)
  for (const json of [{ role: 'user' }, { is_active: false }, { password: 'another fine passphrase' }])
    assert.deepEqual((await change(id, json)).body.code, 'own_account')
  assert.equal((await admin.call('DELETE', `/api/users/${id}`)).status, 409)
  assert.equal((await change(id, { role: 'admin' })).status, 200)
})
