import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertAccessible, browserObstacle, eventually, startBrowser } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { firstSignIn, startFixture } from './browser-fixture.ts'

interface ListedPeer {
  readonly public_key: string
  readonly last_handshake: string | null
}

/** The only peer, as the signed-in page may read it. */
async function onlyPeer(page: Page): Promise<ListedPeer> {
  const reply = await page.request.get('/api/peers')
  const { data } = (await reply.json()) as { data: { peers: ListedPeer[] } }
  assert.equal(data.peers.length, 1)
  return data.peers[0]!
}

test(
  'the first interface has a field for the public endpoint, warns of one that cannot work, and the dialog says when the handshake came',
  { skip: browserObstacle() },
  async () => {
    await using fixture = await startFixture({})
    await using browser = await startBrowser({ baseURL: fixture.service.url })
    const { page } = browser
    await firstSignIn(fixture, page)

    await page.goto('/interfaces?new=1')
    const create = page.getByRole('dialog', { name: 'Create interface' })
    await create.getByLabel('Public endpoint', { exact: true }).fill('127.0.0.1')
    await create.getByText('Devices cannot connect to 127.0.0.1').waitFor()
    await create.getByLabel('Public endpoint', { exact: true }).fill('192.168.77.5')
    await create.getByText('Devices reach 192.168.77.5 from the same network only').waitFor()
    await assertAccessible(page)
    await create.getByRole('button', { name: 'Create interface' }).click()
    await create.waitFor({ state: 'detached' })

    await page.goto('/peers')
    await page.getByRole('button', { name: 'Add peer' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Phone')
    await page.getByRole('dialog').getByRole('button', { name: 'Add peer' }).click()
    const connect = page.getByRole('dialog', { name: 'Connect this device' })
    await connect.getByText('Devices reach 192.168.77.5 from the same network only').waitFor()
    await connect.getByText('Waiting for the device').waitFor()
    await connect.getByText('Tunnels are simulated').waitFor()
    await assertAccessible(page)

    const { public_key: key } = await onlyPeer(page)
    // Simulated devices read this file with every sample; the dialog hears of it by the event stream.
    await eventually(
      async () => {
        const activity = { writtenAt: Date.now(), peers: { [key]: ['198.51.100.7:51000', Date.now(), 1000, 2000] } }
        await writeFile(join(fixture.folder, 'simulated-traffic.json'), JSON.stringify(activity))
        return connect.getByRole('status').innerText()
      },
      (text) => text.includes('Connected') && text.includes('Last handshake'),
      { what: 'a handshake in the dialog', seconds: 30 },
    )
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Phone' }).click()
    await page.getByRole('dialog', { name: 'Phone' }).getByText('from the same network only').waitFor()
    await page.getByRole('dialog', { name: 'Phone' }).getByRole('link', { name: 'Set the public endpoint' }).click()
    await page.getByLabel('Public endpoint', { exact: true }).fill('vpn.example.com')
    await page.getByText('from the same network only', { exact: false }).first().waitFor({ state: 'detached' })
  },
)
