import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, temporaryDirectory, type SignedIn } from '@hearth/testing'
import { startOpenIdProvider, type OpenIdProvider } from '@hearth/testing/openid-provider'
import { startService, testPassword, type TestService } from './in-process.ts'

const publicUrl = 'http://localhost:8101'
const { host } = new URL(publicUrl)
const connectionPath = '/api/openid/connection'

const startPortal = () => startOpenIdProvider({ publicUrl, path: '/api/openid' })

const cookieOf = (reply: { headers: Record<string, unknown> }, name: string) =>
  [reply.headers['set-cookie']]
    .flat()
    .map((line) => String(line).split(';')[0] ?? '')
    .find((pair) => pair.startsWith(`${name}=`) && !pair.endsWith('='))

/** Follows the portal's answer to the service, without the session, as a browser does from another site. */
async function comeBack(service: TestService, answer: URL, cookie = '') {
  const headers = { host, cookie, 'sec-fetch-site': 'cross-site' }
  const callback = await service.send('GET', `${answer.pathname}${answer.search}`, { headers })
  assert.equal(callback.status, 303, callback.text)
  return { location: callback.headers['location'], cookie: cookieOf(callback, 'hearth_vpn_connection') }
}

async function begin(admin: SignedIn, issuer: string, password = testPassword) {
  const body = { issuer, current_password: password }
  const reply = await admin.send('POST', `${connectionPath}/start`, { body })
  return { reply, cookie: cookieOf(reply, 'hearth_vpn_connection') }
}

/** Sends a request with the session's cookie and one more. */
const withCookie = (admin: SignedIn, method: string, path: string, cookie = '') =>
  admin.send(method, path, { headers: { cookie: `${admin.cookie}; ${cookie}` } })

async function connect(service: TestService, admin: SignedIn, portal: OpenIdProvider) {
  const { reply, cookie } = await begin(admin, portal.issuer)
  assert.equal(reply.status, 200, reply.text)
  const back = await comeBack(service, await portal.visit(reply.body.data.url), cookie)
  assert.equal(back.location, '/settings?openid_connection=answered')
  const finished = await withCookie(admin, 'POST', connectionPath, back.cookie)
  assert.equal(finished.status, 201, finished.text)
  return finished.body.data
}

const offered = async (service: TestService) => (await service.send('GET', '/api/openid/provider')).body.data.name

async function signIn(service: TestService, portal: OpenIdProvider) {
  const start = await service.send('GET', '/api/openid?next=/peers', { headers: { host } })
  const cookie = cookieOf(start, 'hearth_vpn_openid')
  if (cookie === undefined) return { location: start.headers['location'], session: undefined }
  const { pathname, search } = await portal.visit(String(start.headers['location']))
  const reply = await service.send('GET', `${pathname}${search}`, { headers: { host, cookie } })
  return { location: reply.headers['location'], session: cookieOf(reply, 'hearth_vpn_session') }
}

test('an administrator connects the service to a portal, people sign in at once, and a restart keeps it', async () => {
  await using portal = await startPortal()
  await using service = await startService({ PUBLIC_URL: publicUrl })
  const admin = await service.signIn('admin', testPassword)
  assert.equal(await offered(service), null)
  const connection = await connect(service, admin, portal)
  assert.deepEqual(
    [connection.state, connection.issuer, connection.connected_by],
    ['connected', portal.issuer, 'admin'],
  )
  assert.equal(await offered(service), 'Hearth')
  portal.person = { ...portal.person, groups: ['admins'] }
  const { location, session } = await signIn(service, portal)
  assert.equal(location, '/peers')
  const { user } = (await service.send('GET', '/api/session', { headers: { host, cookie: session ?? '' } })).body.data
  assert.deepEqual([user.username, user.role], ['maria', 'admin'])
  await service.stop()
  await using again = await startService({ PUBLIC_URL: publicUrl }, service.folder)
  assert.equal(await offered(again), 'Hearth')
  assert.equal((await signIn(again, portal)).location, '/peers')
  portal.portal.isRegistered = false
  assert.equal((await signIn(again, portal)).location, '/?sign_in_error=openid_disconnected')
  const later = await again.signIn('admin', testPassword)
  assert.equal((await later.send('GET', connectionPath)).body.data.state, 'removed')
  assert.equal((await later.send('DELETE', connectionPath)).status, 200)
  assert.equal(await offered(again), null)
  const events = (await later.send('GET', '/api/security-log?limit=50')).body.data
  assert.deepEqual(
    events
      .filter(({ kind }: { kind: string }) => kind.startsWith('openid_'))
      .map(({ kind, username, target }: Record<string, unknown>) => [kind, username, target]),
    [
      ['openid_disconnected', 'admin', portal.issuer],
      ['openid_connected', 'admin', portal.issuer],
    ],
  )
})

test('a backup holds the connection, and a restored service signs people in', async () => {
  await using portal = await startPortal()
  await using place = await temporaryDirectory()
  await using service = await startService({ PUBLIC_URL: publicUrl })
  await connect(service, await service.signIn('admin', testPassword), portal)
  const [file, folder] = [join(place.path, 'backup'), join(place.path, 'restored')]
  const at = (directory: string) => ({ DATA_DIR: directory, WIREGUARD_BACKEND: 'simulated' })
  const made = await runCommand(['vpn', 'backup', file], at(service.folder))
  assert.equal(made.code, 0, made.stderr)
  await mkdir(folder, { mode: 0o700 })
  await copyFile(join(service.folder, 'secret.key'), join(folder, 'secret.key'))
  const restored = await runCommand(['vpn', 'restore', file], at(folder))
  assert.equal(restored.code, 0, restored.stderr)
  await using again = await startService({ PUBLIC_URL: publicUrl }, folder)
  assert.equal((await signIn(again, portal)).location, '/peers')
})

test('nobody but a signed-in administrator with the password connects anything', async () => {
  await using portal = await startPortal()
  await using service = await startService({ PUBLIC_URL: publicUrl })
  await service.addUser('reader', 'user')
  const reader = await service.signIn('reader', testPassword)
  const admin = await service.signIn('admin', testPassword)
  const body = { issuer: portal.issuer, current_password: testPassword }
  const start = `${connectionPath}/start`
  assert.equal((await service.send('POST', start, { body })).status, 401)
  assert.equal((await service.call('POST', start, body)).status, 403)
  assert.equal((await reader.send('POST', start, { body })).status, 403)
  assert.equal((await reader.send('GET', connectionPath)).status, 403)
  const cookie = admin.cookie
  assert.equal((await service.send('POST', start, { body, headers: { cookie } })).status, 403)
  const crossSite = { cookie, 'sec-fetch-site': 'cross-site', 'x-csrf-token': admin.csrf }
  assert.equal((await service.send('POST', start, { body, headers: crossSite })).status, 403)
  const wrong = await begin(admin, portal.issuer, 'not-the-password')
  assert.equal(wrong.reply.status, 422)
  assert.deepEqual([portal.requested, wrong.cookie], [[], undefined])
  const { reply, cookie: pending } = await begin(admin, portal.issuer)
  assert.match(
    String(reply.headers['set-cookie']),
    /Max-Age=600; Path=\/api\/openid\/connection; HttpOnly; SameSite=Lax/,
  )
  const back = await comeBack(service, await portal.visit(reply.body.data.url), pending)
  assert.equal((await service.send('POST', connectionPath, { headers: { cookie: back.cookie ?? '' } })).status, 401)
  await service.addUser('second', 'admin')
  const second = await service.signIn('second', testPassword)
  assert.equal((await withCookie(second, 'POST', connectionPath, back.cookie)).status, 409)
  assert.equal((await withCookie(admin, 'POST', connectionPath, 'hearth_vpn_connection=made-up')).status, 409)
  assert.equal(await offered(service), null)
  assert.equal((await withCookie(admin, 'POST', connectionPath, back.cookie)).status, 201)
  assert.equal((await begin(admin, portal.issuer)).reply.status, 409)
})

test('an answer that is not the portal’s leads back to the settings and connects nothing', async () => {
  await using portal = await startPortal()
  await using service = await startService({ PUBLIC_URL: publicUrl })
  const admin = await service.signIn('admin', testPassword)
  const { reply, cookie } = await begin(admin, portal.issuer)
  portal.portal.alterAnswer = (query) => query.set('iss', 'https://evil.example')
  const mixedUp = await comeBack(service, await portal.visit(reply.body.data.url), cookie)
  assert.deepEqual(mixedUp, { location: '/settings?openid_connection=expired', cookie: undefined })
  portal.portal.alterAnswer = undefined
  portal.portal.isAllowed = false
  const declined = await comeBack(service, await portal.visit(reply.body.data.url), cookie)
  assert.deepEqual(declined, { location: '/settings?openid_connection=declined', cookie: undefined })
  assert.equal(await offered(service), null)
})

test('an address that is no portal, and a service that cannot be connected, are told so', async () => {
  await using portal = await startPortal()
  await using service = await startService()
  const admin = await service.signIn('admin', testPassword)
  assert.match((await admin.send('GET', connectionPath)).body.data.obstacle, /PUBLIC_URL is not set/)
  assert.equal((await begin(admin, portal.issuer)).reply.status, 409)
  await using reachable = await startService({ PUBLIC_URL: publicUrl })
  const { reply } = await begin(await reachable.signIn('admin', testPassword), 'http://auth.example.org')
  assert.deepEqual([reply.status, reply.body.details.fields[0].path], [422, 'issuer'])
})

test('a provider in the environment wins, and nothing can be connected beside it', async () => {
  await using portal = await startPortal()
  await using service = await startService(portal.settings)
  const admin = await service.signIn('admin', testPassword)
  const { state, issuer, obstacle } = (await admin.send('GET', connectionPath)).body.data
  assert.deepEqual([state, issuer], ['environment', portal.issuer])
  assert.match(obstacle, /OIDC_ISSUER is set/)
  assert.equal((await begin(admin, portal.issuer)).reply.status, 409)
  assert.equal(await offered(service), 'House account')
})
