import { test } from 'node:test'
import { assertUsable, assertUsableOn, browserObstacle, wideAndPhone } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { openFurnished } from './browser-fixture.ts'
import { adGuardClient, adGuardHome } from './foreign-filters.ts'
import { foreignFile, type ForeignFile } from './foreign-servers.ts'

async function choose(page: Page, { name, content }: ForeignFile): Promise<void> {
  const buffer = Buffer.from(content, 'base64')
  await page.locator('input[type=file]').setInputFiles([{ name, mimeType: '', buffer }])
  await page.getByRole('dialog').getByRole('button', { name: 'Read file' }).click()
}

test(
  'an AdGuard Home is imported: what its file holds, the parts that are wanted, and what does not come along',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/dns/lists')
    const { page } = opened
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Import from AdGuard Home or Pi-hole' })
    await choose(page, foreignFile('AdGuardHome.yaml', 'hello: world'))
    await dialog.getByText(/AdGuardHome\.yaml: is no AdGuardHome\.yaml/).waitFor()
    await assertUsableOn(page, wideAndPhone)
    const kids = adGuardClient('Kids', ['192.168.1.9'], { use_global_settings: false })
    await choose(page, adGuardHome({ clients: { persistent: [kids] } }))
    await dialog.getByRole('checkbox', { name: '2 block lists' }).waitFor()
    await dialog.getByRole('checkbox', { name: '1 profile' }).waitFor()
    await dialog.getByText(/Replaces those that are set: 9\.9\.9\.9/).waitFor()
    await assertUsableOn(page, wideAndPhone, { picture: 'dns-import' })
    await dialog.getByRole('checkbox', { name: '2 block lists' }).uncheck()
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.getByText('0 lists, 5 rules, 4 local names, 2 zones and 1 profile taken over.').waitFor()
    await assertUsable(page)
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Rules' }).first().click()
    await page.getByText('ads.example').first().waitFor()
  },
)
