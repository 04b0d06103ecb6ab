import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, browserObstacle, screenshot, startBrowser } from './browser.ts'
import { eventually } from './eventually.ts'
import { assertUsableOn, everyScreen, settled, signIn, visit } from './pages.ts'
import { autofillSwitch, plugIn, setAutofill } from './virtual-authenticator.ts'

/** A running service with an account whose sign-in methods are made on a page. */
export interface SignInPageFixture extends AsyncDisposable {
  /** Such as `vpn`. */
  readonly service: string
  /** Address of the service under `127.0.0.1`; passkeys work at `localhost`. */
  readonly url: string
  /** Path of the page with passkeys and recovery codes. */
  readonly path: string
  readonly username: string
  readonly password: string
  /** A recovery code may replace the password. */
  readonly replacesPassword: boolean
}

/** Tests passkeys and recovery codes on the pages of a service, with an authenticator in software. */
export function testSignInMethodPages(open: () => Promise<SignInPageFixture>): void {
  const skip = browserObstacle()

  test('passkeys and recovery codes are made on the page and sign in', { skip }, async () => {
    await using fixture = await open()
    await using browser = await startBrowser()
    const { page } = browser
    await page.addInitScript(autofillSwitch)
    await plugIn(page)
    const visitor = new PageVisitor(page, fixture)
    await visitor.openSignIn()
    await look(page, `${fixture.service}-passkey-sign-in`)
    await signIn(page, fixture.username, fixture.password)
    await visitor.addPasskey()
    const [code = ''] = await visitor.makeCodes()
    await look(page, `${fixture.service}-passkeys`)

    await visitor.openSignIn()
    await visitor.passkeyButton().click()
    await visitor.isIn()
    await visitor.signOut()
    await setAutofill(page, true)
    await visitor.open()
    await visitor.isIn()

    await visitor.openSignIn()
    const password = await visitor.recover(code)
    await page.getByText('9 left').waitFor()
    await visitor.removePasskey(password)
  })

  test('under an IP address the page says where passkeys work', { skip }, async () => {
    await using fixture = await open()
    await using browser = await startBrowser()
    const { page } = browser
    await visit(page, fixture.url)
    await page.getByText(/Passkeys do not work under an IP address/).waitFor()
    await page.getByRole('link', { name: /^http:\/\/localhost:/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0)
  })

  test('a device that has no passkeys says so when somebody asks for one, and not before', { skip }, async () => {
    await using fixture = await open()
    await using browser = await startBrowser()
    const { page } = browser
    await page.addInitScript(withoutPasskeys)
    const visitor = new PageVisitor(page, fixture)
    await visitor.open()
    await visitor.passkeyButton().waitFor()
    // Pages forbid the evaluation of texts, which `waitForFunction` does from its second look on.
    await eventually(
      () => page.evaluate('window.passkeyRequests'),
      (requests) => requests === 1,
    )
    await settled(page)
    assert.deepEqual(await page.getByRole('alert').allTextContents(), [])
    await visitor.passkeyButton().click()
    await page.getByRole('alert').getByText('This device cannot make a passkey').waitFor()
  })
}

/** A browser whose device has no authenticator, although it offers autofill. */
const withoutPasskeys = `
  window.passkeyRequests = 0
  PublicKeyCredential.isConditionalMediationAvailable = async () => true
  navigator.credentials.get = async () => {
    window.passkeyRequests += 1
    throw new DOMException('no authenticator', 'NotSupportedError')
  }
`

async function look(page: Page, picture: string): Promise<void> {
  await settled(page)
  await assertUsableOn(page, everyScreen, { picture })
}

/** A person at the pages of a service. */
class PageVisitor {
  readonly #page: Page
  readonly #fixture: SignInPageFixture

  constructor(page: Page, fixture: SignInPageFixture) {
    this.#page = page
    this.#fixture = fixture
  }

  async open(): Promise<void> {
    const { url, path } = this.#fixture
    await visit(this.#page, `${url.replace('127.0.0.1', 'localhost')}${path}`)
  }

  /** Away from every page first: one that finds itself signed out would offer the passkey, and be in again. */
  async signOut(): Promise<void> {
    await this.#page.goto('about:blank')
    await this.#page.context().clearCookies({ name: `hearth_${this.#fixture.service}_session` })
  }

  /** Opens the sign-in page in a browser that offers passkeys by the button alone. */
  async openSignIn(): Promise<void> {
    await this.signOut()
    await setAutofill(this.#page, false)
    await this.open()
    await this.passkeyButton().waitFor()
  }

  passkeyButton() {
    return this.#page.getByRole('button', { name: 'Sign in with a passkey' })
  }

  async isIn(): Promise<void> {
    await this.#page.getByRole('navigation', { name: 'Main' }).waitFor()
  }

  async addPasskey(): Promise<void> {
    await this.open()
    await this.#page.getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = this.#page.getByRole('dialog', { name: 'Add a passkey' })
    await dialog.getByLabel('Name').fill('Laptop')
    await dialog.getByLabel('Current password').fill('not this one')
    const make = dialog.getByRole('button', { name: 'Make the passkey' })
    await make.click()
    await dialog.getByText(/is not (right|your password)/i).waitFor()
    await assertAccessible(this.#page)
    await screenshot(this.#page, `${this.#fixture.service}-passkey-dialog`)
    await dialog.getByLabel('Current password').fill(this.#fixture.password)
    await make.click()
    await this.#page.getByText('“Laptop” is a passkey of yours now').waitFor()
    await this.#page.getByRole('row', { name: /Laptop/ }).waitFor()
  }

  async makeCodes(): Promise<string[]> {
    await this.#page.getByRole('button', { name: 'Make recovery codes' }).click()
    const dialog = this.#page.getByRole('dialog', { name: 'Make recovery codes' })
    await dialog.getByLabel('Current password').fill(this.#fixture.password)
    await dialog.getByRole('button', { name: 'Make codes' }).click()
    const codes = this.#page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
    await codes.first().waitFor()
    const texts = await codes.allTextContents()
    assert.equal(texts.length, 10)
    await this.#page.getByLabel('I have kept the codes').check()
    await this.#page.getByRole('button', { name: 'Done' }).click()
    await this.#page.getByText('10 left').waitFor()
    return texts
  }

  /** Signs in with a code, which opens the page of sign-in methods, and returns the password that holds from then on. */
  async recover(code: string): Promise<string> {
    const { service, username, password, replacesPassword } = this.#fixture
    const next = `${password}-b`
    await this.#page.getByRole('button', { name: 'Use a recovery code' }).click()
    await this.#page.getByLabel('User name').fill(username)
    await this.#page.getByLabel('Recovery code').fill(code)
    await assertAccessible(this.#page)
    await screenshot(this.#page, `${service}-recovery-sign-in`)
    if (replacesPassword) await this.#page.getByLabel('New password').fill(next)
    await this.#page.getByRole('button', { name: 'Sign in with the code' }).click()
    await this.#page.getByText('That code is used up').waitFor()
    return replacesPassword ? next : password
  }

  async removePasskey(password: string): Promise<void> {
    await this.#page.getByRole('button', { name: 'Remove Laptop' }).click()
    const dialog = this.#page.getByRole('dialog', { name: 'Remove “Laptop”?' })
    await dialog.getByLabel('Current password').fill(password)
    await dialog.getByRole('button', { name: 'Remove passkey' }).click()
    await this.#page.getByText('No passkeys yet').waitFor()
  }
}
