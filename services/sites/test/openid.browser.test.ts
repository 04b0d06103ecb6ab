import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  assertUsable,
  assertUsableOn,
  browserObstacle,
  createVisitor,
  freePort,
  startBrowser,
  startServiceProcess,
  temporaryDirectory,
  wideAndPhone,
} from '@hearth/testing'
import { signInAtProvider, startOpenIdProvider } from '@hearth/testing/openid-provider'

test(
  'a person signs in on the provider’s page, and confirms there what needs a confirmation',
  { skip: browserObstacle() },
  async () => {
    const port = String(await freePort())
    const publicUrl = `http://localhost:${port}`
    await using folder = await temporaryDirectory()
    await using provider = await startOpenIdProvider({ publicUrl, path: '/api/openid' })
    await using _service = await startServiceProcess('sites', {
      BIND_PORT: port,
      DATA_DIR: folder.path,
      CADDY_ADMIN: 'http://127.0.0.1:9',
      ...provider.settings,
    })
    const token = (await readFile(join(folder.path, 'setup-token'), 'utf8')).trim()
    const json = { token, username: 'admin', password: 'tall-giraffe-on-ice-7' }
    await createVisitor(publicUrl).demand('POST', '/api/setup', { json })
    await using browser = await startBrowser()
    const { page } = browser
    provider.isAutomatic = false
    await page.goto(publicUrl)
    await assertUsableOn(page, wideAndPhone.toReversed(), {
      ready: page.getByRole('link', { name: 'Sign in with House account' }),
    })
    provider.person = { ...provider.person, groups: ['admins'] }
    await signInAtProvider(page, `${publicUrl}/users`, provider)
    await page.getByRole('row', { name: /maria.*OpenID Connect/ }).waitFor()
    // Six minutes later the confirmation of the sign-in is over.
    await page.route('**/api/session/recovery-codes', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        body: JSON.stringify({ status: 403, detail: 'Confirm', code: 'reauthentication_required' }),
      }),
    )
    await page.goto(`${publicUrl}/account`)
    await page.getByRole('button', { name: /recovery codes/i }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.getByRole('link', { name: 'Confirm with House account' }).waitFor()
    await assertUsable(page)
    await dialog.getByRole('link', { name: 'Confirm with House account' }).click()
    // The provider knows the person, and asks all the same.
    await page.getByRole('button', { name: 'Continue as maria' }).click()
    await page.waitForURL(`${publicUrl}/account`)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  },
)
