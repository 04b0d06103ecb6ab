import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserObstacle, startBrowser } from '@hearth/testing'
import type { CDPSession, Page } from 'playwright-core'
import { startSites, testPassword, type Sites } from './in-process.ts'

interface Answer {
  status: number
  body: { detail?: string; code?: string; redirect_url?: string; user?: { username: string }; passkeys?: number }
}

/** What a page of ours does, in the browser's own words: `send` brings the CSRF token along. */
const script = `
  const send = async (method, path, body) => {
    const { token } = await (await fetch('/api/v1/csrf')).json()
    const headers = { 'x-csrf-token': token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  }
  const register = async () => {
    const start = await send('POST', '/api/passkeys/register/start', {})
    if (start.status !== 200) return start
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(start.body.options)
    const credential = (await navigator.credentials.create({ publicKey })).toJSON()
    return send('POST', '/api/passkeys/register/finish', { credential, device_name: 'Chromium' })
  }
  const login = async () => {
    const start = await send('POST', '/api/passkeys/login/start', {})
    if (start.status !== 200) return start
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(start.body.options)
    const credential = (await navigator.credentials.get({ publicKey })).toJSON()
    return send('POST', '/api/passkeys/login/finish', { credential, next_url: '/sites' })
  }
  const named = async (work) => work().catch((error) => ({ status: 0, body: { code: error.name } }))
`

const run = (page: Page, expression: string): Promise<Answer> =>
  page.evaluate(`(async () => { ${script}; return named(() => ${expression}) })()`)

/** A platform authenticator that verifies its user, without a finger. */
async function addAuthenticator(page: Page): Promise<{ devtools: CDPSession; authenticatorId: string }> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { devtools, authenticatorId }
}

const localhost = (sites: Sites): string => sites.url.replace('127.0.0.1', 'localhost')

test(
  'a real browser registers a passkey, signs in with it and is told when it may not',
  { skip: browserObstacle() },
  async () => {
    await using sites = await startSites()
    await sites.signIn()
    await using browser = await startBrowser()
    const { page } = browser
    const { devtools, authenticatorId } = await addAuthenticator(page)
    await page.goto(localhost(sites))
    const signIn = `send('POST', '/api/session', ${JSON.stringify({ username: 'admin', password: testPassword })})`
    assert.equal((await run(page, signIn)).status, 200)
    const made = await run(page, 'register()')
    assert.equal(made.status, 200, JSON.stringify(made.body))
    // The browser knows that this authenticator has one already.
    assert.equal((await run(page, 'register()')).body.code, 'InvalidStateError')
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId })
    assert.equal(credentials.length, 1)

    assert.equal((await run(page, `send('DELETE', '/api/session')`)).status, 200)
    for (let times = 0; times < 2; times += 1) {
      const login = await run(page, 'login()')
      assert.deepEqual([login.status, login.body.redirect_url], [200, '/sites'], JSON.stringify(login.body))
    }
    const session = await run(page, `send('GET', '/api/session')`)
    assert.deepEqual([session.body.user?.username, session.body.passkeys], ['admin', 1])

    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    assert.equal((await run(page, 'login()')).body.code, 'NotAllowedError')
    await page.goto(sites.url)
    const byAddress = await run(page, 'login()')
    assert.deepEqual([byAddress.status, byAddress.body.code], [409, 'passkeys_unavailable'])
  },
)
