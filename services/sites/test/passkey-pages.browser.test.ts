import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  autofillSwitch,
  browserObstacle,
  eventually,
  plugIn,
  setAutofill,
  settled,
  signIn,
  startTcpProxy,
  submitSignIn,
  visit,
  type VirtualAuthenticator,
} from '@hearth/testing'
import { createFastTimers } from '@hearth/runtime'
import type { Page } from 'playwright-core'
import type { User } from '../src/accounts/schema.ts'
import type { Passkey } from '@hearth/accounts/passkey-schema'
import { confirm, openPlace, shownCodes, type Place } from './browser-place.ts'
import type { Browser } from './browser.ts'
import { testPassword } from './in-process.ts'

const skip = browserObstacle()
const timers = createFastTimers(1)

let place: Place
let page: Page
let admin: Browser

before(async () => {
  if (skip !== false) return
  place = await openPlace({ timers })
  page = place.page
  admin = await place.sites.signIn()
  await page.addInitScript(autofillSwitch)
})
after(() => place?.[Symbol.asyncDispose]())

let people = 0

/** Somebody with an account and a passkey on a device of their own, signed in on the page of their account. */
async function newcomer(): Promise<{ user: User; device: VirtualAuthenticator }> {
  people += 1
  await signOut()
  const user = await place.sites.addUser(`person${people}`, 'user')
  const device = await freshDevice()
  await visit(page, `${place.url}/account`)
  await signIn(page, user.username, testPassword)
  await addPasskey('Laptop')
  await page.getByText('“Laptop” is a passkey of yours now').waitFor()
  return { user, device }
}

async function freshDevice(): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page)
  // Pulls out every one that was plugged in.
  await session.send('WebAuthn.disable')
  await session.detach()
  return plugIn(page)
}

async function addPasskey(name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Make the passkey' }).click()
}

/** Away from every page first: one that finds itself signed out would offer the passkey, and be in again. */
async function signOut(): Promise<void> {
  await page.goto('about:blank')
  await page.context().clearCookies({ name: 'hearth_sites_session' })
}

/** The sign-in screen, of a browser that waits for the button; as somebody from a new address. */
async function openSignIn(url = place.url): Promise<void> {
  await signOut()
  await setAutofill(page, false)
  await visit(page, `${url}/account`)
  await passkeyButton().waitFor()
}

const passkeyButton = () => page.getByRole('button', { name: 'Sign in with a passkey' })
const isIn = () => page.getByRole('navigation', { name: 'Main' }).waitFor()
const complaint = (text: RegExp | string) => page.getByRole('alert').getByText(text).waitFor()
const counter = async (device: VirtualAuthenticator) => (await device.passkeys())[0]?.signCount ?? -1

test('a passkey is created, signs in by autofill and by button, and counts its uses', { skip }, async () => {
  const { user, device } = await newcomer()
  const row = page.getByRole('row', { name: /Laptop/ })
  await row.getByText('This device').waitFor()
  await row.getByText('One device').waitFor()
  await row.getByText('never').waitFor()
  assert.equal((await device.passkeys())[0]?.rpId, 'localhost')
  const begun = await counter(device)

  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Make the passkey' }).click()
  await complaint('This device has a passkey of your account already.')
  await page.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await device.passkeys()).length, 1)

  await openSignIn()
  await passkeyButton().click()
  await isIn()
  await page.getByRole('button', { name: `Account of ${user.username}` }).waitFor()
  await page
    .getByRole('row', { name: /Laptop/ })
    .getByText('just now')
    .first()
    .waitFor()
  const second = await counter(device)
  assert.ok(second > begun, `${second} after ${begun}`)

  await signOut()
  await setAutofill(page, true)
  await visit(page, `${place.url}/account`)
  await isIn()
  assert.ok((await counter(device)) > second)
})

test('a passkey without user verification is refused; the password still works', { skip }, async () => {
  const { user, device } = await newcomer()
  await device.setVerified(false)
  await openSignIn()
  await passkeyButton().click()
  await complaint(/^The passkey was not used/)
  await signIn(page, user.username, testPassword)
})

test('a deleted passkey is refused, and the device removes it', { skip }, async () => {
  const { user, device } = await newcomer()
  const other = await place.sites.signInAs(user.username)
  const [passkey] = (await other.json<Passkey[]>('GET', '/api/passkeys')).body
  assert.equal((await other.call('DELETE', `/api/passkeys/${passkey?.id}`)).status, 200)
  // Removing one ends the other sessions, so the page notices by itself.
  await openSignIn()
  await passkeyButton().click()
  await complaint(/^This passkey is not known here any more/)
  await eventually(
    () => device.passkeys(),
    (kept) => kept.length === 0,
    { what: 'a device that forgot' },
  )
})

test('a disabled user is refused and keeps the passkey', { skip }, async () => {
  const { user, device } = await newcomer()
  const path = `/api/users/${user.id}`
  assert.equal((await admin.call('PATCH', path, { json: { is_active: false } })).status, 200)
  await openSignIn()
  await passkeyButton().click()
  await complaint(/^The passkey was not accepted/)
  assert.equal((await device.passkeys()).length, 1)
  assert.equal((await admin.call('PATCH', path, { json: { is_active: true } })).status, 200)
  await passkeyButton().click()
  await isIn()
})

test('a cloned passkey whose counter is behind is refused', { skip }, async () => {
  const { device } = await newcomer()
  const [copy] = await device.passkeys()
  assert.ok(copy !== undefined)
  await openSignIn()
  await passkeyButton().click()
  await isIn()
  await device.replace({ ...copy, signCount: 0 })
  await openSignIn()
  await passkeyButton().click()
  await complaint(/^The passkey was not accepted/)
})

test('a signed challenge is valid once, for two minutes, in its own browser', { skip }, async () => {
  await newcomer()
  await openSignIn()
  const finish = '**/api/passkeys/login/finish'
  await page.route(finish, async (route) => {
    timers.jump(121_000)
    await route.continue()
  })
  await passkeyButton().click()
  await complaint('That took too long, or was used before. Try once more.')
  await page.unroute(finish)

  const held = Promise.withResolvers<object>()
  await page.route(finish, async (route) => {
    held.resolve(route.request().postDataJSON() as object)
    await route.abort()
  })
  await passkeyButton().click()
  const signed = await held.promise
  await complaint(/^The server does not answer/)
  await page.unroute(finish)
  const stranger = place.sites.browser()
  const transplanted = await stranger.json<{ code?: string }>('POST', '/api/passkeys/login/finish', {
    json: signed,
    headers: { origin: place.url },
  })
  assert.deepEqual([transplanted.status, transplanted.body.code], [400, 'challenge'])

  let own = ''
  await page.route(finish, async (route) => {
    own = route.request().postData() ?? ''
    await route.continue()
  })
  await passkeyButton().click()
  await isIn()
  await page.unroute(finish)
  const replayed = await page.evaluate(
    `fetch('/api/v1/csrf').then((answer) => answer.json()).then(({ token }) => fetch('/api/passkeys/login/finish', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf-token': token },
      body: ${JSON.stringify(own)},
    })).then(async (answer) => [answer.status, (await answer.json()).code])`,
  )
  assert.deepEqual(replayed, [400, 'challenge'])
})

test('a passkey is refused at another origin of the same host name', { skip }, async () => {
  await newcomer()
  await using proxy = await startTcpProxy(place.sites.url)
  await openSignIn(proxy.url)
  await passkeyButton().click()
  await complaint(/^The passkey was not accepted/)
})

/** Runs before each page: the autofill offers passkeys, and `failAutofill` lets the one that was chosen fail. */
const failingAutofill = `
  PublicKeyCredential.isConditionalMediationAvailable = async () => true
  window.autofillRounds = 0
  navigator.credentials.get = () => new Promise((_, reject) => {
    window.autofillRounds += 1
    window.failAutofill = () => reject(new DOMException('broken', 'NotAllowedError'))
  })`

test('a passkey that fails in the autofill is reported, but not over the failure of a form', { skip }, async () => {
  const other = await page.context().newPage()
  await other.addInitScript(failingAutofill)
  await signOut()
  const rounds = () => other.evaluate('window.autofillRounds')
  const failOne = async (round: number) => {
    await eventually(rounds, (count) => count === round)
    await other.evaluate('window.failAutofill()')
    // The next focus offers passkeys again once the failure has been handled.
    await eventually(
      async () => {
        await other.getByRole('heading').first().click()
        await other.getByLabel('User name').focus()
        return rounds()
      },
      (count) => count === round + 1,
    )
  }
  const shown = () => other.getByRole('alert').allTextContents()
  await visit(other, `${place.url}/account`)
  await failOne(1)
  assert.match((await shown()).join(), /^The passkey was not used/)
  await visit(other, `${place.url}/account`)
  await submitSignIn(other, 'admin', 'a wrong passphrase 1')
  await eventually(shown, (texts) => texts.length === 1)
  const before = await shown()
  await failOne(1)
  assert.deepEqual(await shown(), before)
  await other.close()
})

test('by IP address the page says where passkeys work, and the password works', { skip }, async () => {
  await signOut()
  await visit(page, place.sites.url)
  await page.getByText(/Passkeys do not work under an IP address/).waitFor()
  assert.equal(await page.getByRole('link', { name: place.url }).getAttribute('href'), place.url)
  assert.equal(await passkeyButton().count(), 0)
  await signIn(page, 'admin', testPassword)
})

test('changing sign-in methods requires confirming your identity, and then continues', { skip }, async () => {
  await newcomer()
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  const makeCodes = () => page.getByRole('button', { name: /^Make (new|recovery) codes$/ }).click()
  timers.jump(301_000)
  await makeCodes()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Nothing was changed, because it was not confirmed').waitFor()

  await makeCodes()
  await dialog.getByLabel('Your password').fill('not this one')
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click()
  await dialog.getByText('Is not your password').waitFor()
  await confirm(page)
  assert.equal((await shownCodes(page)).length, 10)
  await page.getByLabel('I have kept the codes').check()
  await page.getByRole('button', { name: 'Done' }).click()

  timers.jump(301_000)
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await page.getByRole('button', { name: 'Remove passkey' }).click()
  await dialog.getByRole('button', { name: 'Confirm with a passkey' }).click()
  await page.getByText('No passkeys yet').waitFor()
})

test('a recovery code signs in once and allows a new password without the old one', { skip }, async () => {
  const { user } = await newcomer()
  const [code] = await recoveryCodes()
  await openSignIn()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('User name').fill(user.username)
  await page.getByLabel('Recovery code').fill(code ?? '')
  await page.getByRole('button', { name: 'Sign in with the code' }).click()
  await page.getByText('That code is used up').waitFor()
  await page.getByText('9 left').waitFor()
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change password' })
  await dialog.getByLabel('New password', { exact: true }).fill(`${testPassword}-b`)
  await dialog.getByLabel('New password again').fill(`${testPassword}-b`)
  await dialog.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed.').waitFor()
  await settled(page)

  await openSignIn()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('User name').fill(user.username)
  await page.getByLabel('Recovery code').fill(code ?? '')
  await page.getByRole('button', { name: 'Sign in with the code' }).click()
  await complaint(/recovery code is wrong/)
  await page.getByRole('button', { name: 'Use the password' }).click()
  await signIn(page, user.username, `${testPassword}-b`)
})

async function recoveryCodes(): Promise<string[]> {
  await page.getByRole('button', { name: 'Make recovery codes' }).click()
  return shownCodes(page)
}
