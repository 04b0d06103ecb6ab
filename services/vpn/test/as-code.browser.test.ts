import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, wideAndPhone } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { openFurnished } from './browser-fixture.ts'

async function choose(page: Page, text: string): Promise<void> {
  await page.locator('input[type=file]').setInputFiles([{ name: 'vpn.yaml', mimeType: '', buffer: Buffer.from(text) }])
  await page.getByRole('button', { name: 'Show the plan' }).click()
}

const lookAt = (page: Page, name: string) => assertUsableOn(page, wideAndPhone, { picture: `vpn-as-code-${name}` })

test(
  'the wanted state is downloaded, changed and applied after its plan was shown',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/settings')
    const { page } = opened
    await page.getByRole('link', { name: 'As code' }).click()
    await page.getByRole('heading', { name: 'As code' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    const text = await readFile(await download.path(), 'utf8')
    assert.match(text, /^ {2}Phone:$/m)
    await page.getByLabel('With private keys, encrypted').check()
    assert.equal(await page.getByRole('button', { name: 'Download' }).isDisabled(), true)
    await page.getByRole('textbox', { name: 'Passphrase' }).fill('twelve green bottles')
    const [secret] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    assert.match(await readFile(await secret.path(), 'utf8'), /private_key: v1\./)

    await choose(page, text)
    await page.getByText('There is nothing to do').waitFor()
    await choose(page, text.replace('10.8.0.1/24', '10.8.0.1/77').replace(/^( {4}ip: ).*$/m, '$1nowhere'))
    await page.getByText('2 problems in the way. Nothing was changed.').waitFor()
    await page.getByText(/^Line \d+: interfaces\.wg0\.address is not a valid IPv4 network/).waitFor()
    await lookAt(page, 'problems')
    const changed = text
      .replace(/^ {2}Phone:$/m, '  Old phone:')
      .replace(/^ {2}Laptop:\n(?: {4}.*\n)*/m, '')
      .replace(/^access_groups: \{\}$/m, 'access_groups:\n  Children: { color: pink, peers: [Old phone] }')
      .replace('nat: true', 'nat: false')
    await choose(page, changed)
    await page.getByText('Not in the file, and stays: peer Laptop.').waitFor()
    await page.getByLabel('Delete what the file does not have').check()
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByText('1 new, 1 changed, 1 deleted.').waitFor()
    await page.getByText('(was Phone)').waitFor()
    await lookAt(page, 'plan')
    await page.getByRole('button', { name: 'Make 3 changes' }).click()
    await page.getByText('There is nothing to do').waitFor()
    await page.getByRole('link', { name: 'Peers', exact: true }).first().click()
    await page.getByText('Old phone').first().waitFor()
    assert.equal(await page.getByText('Laptop').count(), 0)
  },
)
