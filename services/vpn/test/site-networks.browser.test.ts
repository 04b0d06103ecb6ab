import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, everyScreen } from '@hearth/testing'
import { openFurnished } from './browser-fixture.ts'

test(
  'networks behind a device are set in its form, explained in its details, and others are told',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page } = opened
    await page.getByRole('link', { name: 'Phone' }).click()
    const phone = page.getByRole('dialog', { name: 'Phone' })
    await phone.getByRole('button', { name: 'Edit' }).click()
    const form = page.getByRole('dialog', { name: 'Edit Phone' })
    await form.getByRole('button', { name: 'Advanced' }).click()
    await form.getByLabel('What goes through the tunnel').selectOption('VPN and listed networks')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    // Phone gets its configuration, which knows of no networks yet.
    const connect = page.getByRole('dialog', { name: 'Connect this device' })
    const handedOut = page.waitForResponse((response) => response.url().endsWith('/qrcode'))
    await page.getByRole('dialog', { name: 'Phone' }).getByRole('button', { name: 'QR code' }).click()
    await connect.getByRole('img', { name: /QR code/ }).waitFor()
    await handedOut
    await page.keyboard.press('Escape')
    await connect.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await phone.waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'Laptop' }).click()
    const laptop = page.getByRole('dialog', { name: 'Laptop' })
    await laptop.getByRole('button', { name: 'Edit' }).click()
    const editing = page.getByRole('dialog', { name: 'Edit Laptop' })
    await editing.getByRole('button', { name: 'Networks behind this device' }).click()
    const networks = editing.getByLabel('Networks', { exact: true })
    await networks.fill('192.168.77.0/24, 0.0.0.0/0')
    await editing.getByRole('button', { name: 'Save' }).click()
    await editing.getByText('Must not be a default route', { exact: false }).waitFor()
    await networks.fill('192.168.77.0/24, 10.8.0.0/25')
    await editing.getByRole('button', { name: 'Save' }).click()
    await editing.getByText('10.8.0.0/25 overlaps with the VPN network of wg0', { exact: false }).waitFor()
    await networks.fill('192.168.77.0/24\nfd77::/48')
    await assertUsableOn(page, everyScreen, { ready: networks, picture: 'vpn-site-networks-form' })
    const unfolded = editing.locator('.mantine-Accordion-panel', { has: page.getByLabel('Networks', { exact: true }) })
    await page.setViewportSize({ width: 390, height: 844 })
    // What unfolded grows with its text, also for who wants no motion.
    const isCut = (panel: { scrollHeight: number; clientHeight: number }) => panel.scrollHeight > panel.clientHeight
    assert.equal(await unfolded.evaluate(isCut), false)
    await page.setViewportSize({ width: 1280, height: 900 })
    await editing.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Peer Laptop changed; 1 peer needs its configuration again').waitFor()
    const section = laptop.getByRole('region', { name: 'Networks behind this device' })
    await section.getByText('192.168.77.0/24, fd77::/48').waitFor()
    await section.getByText('Show the network the way back', { exact: false }).waitFor()
    await section.scrollIntoViewIfNeeded()
    await assertUsableOn(page, everyScreen, { ready: section, picture: 'vpn-site-networks' })
    await page.keyboard.press('Escape')
    await laptop.waitFor({ state: 'detached' })

    const outdated = page.getByRole('region', { name: 'Peers that need their configuration again' })
    await outdated.getByText('1 peer needs its configuration again', { exact: false }).waitFor()
    await page.getByText('and 192.168.77.0/24, 1 more').waitFor()
    await outdated.getByRole('button', { name: 'Show them' }).click()
    await page.getByRole('link', { name: 'Laptop' }).waitFor({ state: 'detached' })
    await page.getByText('Needs its configuration again', { exact: true }).waitFor()
    await assertUsableOn(page, everyScreen, { ready: outdated, picture: 'vpn-needs-configuration' })
    await page.getByRole('button', { name: 'Connect Phone' }).click()
    await connect.getByRole('img', { name: /QR code/ }).waitFor()
    await outdated.getByText('0 peers', { exact: false }).waitFor()
    await page.keyboard.press('Escape')
    await outdated.getByRole('button', { name: 'Show all peers' }).click()
    await outdated.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Laptop' }).waitFor()
    assert.equal(await page.getByText('Needs its configuration again', { exact: true }).count(), 0)
  },
)
