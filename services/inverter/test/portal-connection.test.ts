import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { startOpenIdProvider } from '@hearth/testing/openid-provider'
import { startGateway, testPassword } from './in-process.ts'

const publicUrl = 'http://localhost:8102'
const { host } = new URL(publicUrl)
const path = '/admin/api/openid'

const cookieOf = (reply: { headers: Record<string, unknown> }, name: string) =>
  [reply.headers['set-cookie']]
    .flat()
    .map((line) => String(line).split(';')[0] ?? '')
    .find((pair) => pair.startsWith(`${name}=`) && !pair.endsWith('=')) ?? ''

test('the administrator connects a portal, whoever it lets in is the administrator, and nobody else connects one', async () => {
  await using portal = await startOpenIdProvider({ publicUrl, path })
  await using gateway = await startGateway({
    environment: { PUBLIC_URL: publicUrl },
    device: null,
    timers: createFastTimers(1),
  })
  const admin = await gateway.signIn()
  const body = { issuer: portal.issuer, current_password: testPassword }
  const start = `${path}/connection/start`
  assert.equal((await gateway.send('POST', start, { body })).status, 401)
  assert.equal((await gateway.send('GET', `${path}/connection`)).status, 401)
  assert.equal((await gateway.send('POST', start, { body, headers: { cookie: admin.cookie } })).status, 403)
  await assert.rejects(gateway.operate('POST', start, body), /browser/)
  assert.deepEqual(portal.requested, [])

  portal.portal.groups = { allowed: ['family'], admins: [] }
  const started = await admin.send('POST', start, { body })
  assert.equal(started.status, 200, started.text)
  const { pathname, search } = await portal.visit(started.body.url)
  const pending = cookieOf(started, 'hearth_inverter_connection')
  const back = await gateway.send('GET', `${pathname}${search}`, { headers: { host, cookie: pending } })
  assert.equal(back.headers['location'], '/settings?openid_connection=answered')
  const cookie = `${admin.cookie}; ${cookieOf(back, 'hearth_inverter_connection')}`
  const made = await admin.send('POST', `${path}/connection`, { headers: { cookie } })
  assert.deepEqual([made.status, made.body.state, made.body.allowed_groups], [201, 'connected', ['family']])

  const begun = await gateway.send('GET', `${path}?next=/energy`, { headers: { host } })
  const answer = await portal.visit(String(begun.headers['location']))
  const flow = cookieOf(begun, 'hearth_inverter_openid')
  const headers = { host, cookie: flow, 'sec-fetch-site': 'cross-site' }
  const signedIn = await gateway.send('GET', `${answer.pathname}${answer.search}`, { headers })
  assert.equal(signedIn.headers['location'], '/energy')
  const session = { cookie: cookieOf(signedIn, 'hearth_inverter_session') }
  assert.equal((await gateway.send('GET', '/admin/api/session', { headers: session })).body.user.username, 'admin')

  assert.deepEqual((await admin.send('DELETE', `${path}/connection`)).body, { is_removed_there: true })
  assert.deepEqual((await gateway.send('GET', `${path}/provider`)).body, { name: null })
  assert.equal((await gateway.send('GET', path, { headers: { host } })).status, 404)
})
