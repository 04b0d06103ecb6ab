import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsable, assertUsableOn, browserObstacle, wideAndPhone } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { openFurnished } from './browser-fixture.ts'
import { foreignPeer, type ForeignFile, newKeys, wgEasy15 } from './foreign-servers.ts'

async function choose(page: Page, files: readonly ForeignFile[]): Promise<void> {
  const payloads = files.map(({ name, content }) => ({ name, mimeType: '', buffer: Buffer.from(content, 'base64') }))
  await page.locator('input[type=file]').setInputFiles(payloads)
  await page.getByRole('dialog').getByRole('button', { name: 'Check files' }).click()
}

test(
  'a server of wg-easy is taken over: what stands in the way first, then all of it',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/interfaces')
    const { page } = opened
    await page.getByRole('button', { name: 'Take over a server' }).click()
    const dialog = page.getByRole('dialog', { name: 'Take over a server' })
    await dialog.getByText('wg-easy.db').waitFor()
    await assertUsableOn(page, wideAndPhone)
    await choose(page, [{ name: 'notes.conf', content: Buffer.from('hello').toString('base64') }])
    await dialog.getByText(/notes\.conf: line 1: is neither/).waitFor()
    await assertUsable(page)

    const server = newKeys()
    const files = [
      wgEasy15(
        server,
        [
          { ...foreignPeer('Grandma’s tablet', '10.55.0.2', 'fdcc:ad94:bacf:61a4::cafe:2'), keepalive: 25 },
          { ...foreignPeer('Old phone', '10.55.0.3', 'fdcc:ad94:bacf:61a4::cafe:3'), off: true },
        ],
        { network: '10.55.0.0/24', port: 51_855 },
      ),
    ]
    await choose(page, files)
    // The installation has an interface of that name.
    await dialog.getByText(/The interface wg0 exists/).waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Take over 2 peers' }).isDisabled(), true)
    await dialog.getByLabel('Name of wg0 here').fill('wg-home')
    await dialog.getByRole('button', { name: 'Check again' }).click()
    await dialog.getByText('1 interface with 2 peers can be taken over.').waitFor()
    await dialog.getByText(/hooks \(PostUp/).waitFor()
    await assertUsableOn(page, wideAndPhone)
    await dialog.getByRole('button', { name: 'Take over 2 peers' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('wg-home').first().waitFor()
    await page.getByRole('link', { name: '0 of 2' }).click()
    await page.getByText('Grandma’s tablet').first().waitFor()
  },
)
