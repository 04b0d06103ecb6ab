import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  assertUsable,
  assertUsableOn,
  browserObstacle,
  eventually,
  everyScreen,
  freePort,
  runCommand,
  startBrowser,
} from '@hearth/testing'
import { joinService } from '../src/node-agent/join.ts'
import { furnish, startFixture } from './browser-fixture.ts'
import { FakeNode } from './nodes-fixture.ts'

test(
  'an administrator adds a node, sees it join, and renames, renews and removes it',
  { skip: browserObstacle() },
  async () => {
    const port = await freePort()
    await using fixture = await startFixture({
      PUBLIC_ENDPOINT: '127.0.0.1',
      VPN_NODES_LISTEN: `127.0.0.1:${port}`,
    })
    await using browser = await startBrowser()
    const { page } = browser
    await furnish(fixture, page)
    await page.goto(`${fixture.service.url}/interfaces`)
    await page.getByRole('navigation', { name: 'Interfaces' }).getByRole('link', { name: 'Nodes' }).click()
    await page.getByText('No node yet').waitFor()
    await assertUsableOn(page, everyScreen, { ready: page.getByText('No node yet'), picture: 'vpn-nodes-empty' })

    await page.getByRole('button', { name: 'Add node' }).click()
    const adding = page.getByRole('dialog', { name: 'Add node' })
    await adding.getByLabel('Name').fill('Berlin')
    await adding.getByRole('button', { name: 'Add node' }).click()
    const shown = page.getByRole('dialog', { name: 'Join as Berlin' })
    const token = ((await shown.getByLabel('Join token', { exact: true }).textContent()) ?? '').trim()
    const command = ((await shown.getByLabel('Command', { exact: true }).textContent()) ?? '').trim()
    assert.equal(command, `hearth vpn node join https://127.0.0.1:${port} --token-file -`)
    await assertUsableOn(page, everyScreen, { ready: shown, picture: 'vpn-nodes-token' })
    await shown.getByRole('button', { name: 'I have it' }).click()
    await page.getByText('Waits to join').waitFor()

    const file = join(fixture.folder, 'token')
    await writeFile(file, token)
    const host = { DATA_DIR: join(fixture.folder, 'host') }
    const joined = await runCommand([...command.split(' ').slice(1, -1), file], host)
    assert.equal(joined.code, 0, joined.stderr)
    await page.getByText('Connected', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'More for Berlin' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const renaming = page.getByRole('dialog', { name: 'Edit Berlin' })
    await renaming.getByLabel('Name').fill('Paris')
    await renaming.getByRole('button', { name: 'Save' }).click()
    const menu = page.getByRole('button', { name: 'More for Paris' })
    await menu.click()
    await page.getByRole('menuitem', { name: 'New join token' }).click()
    await page
      .getByRole('dialog', { name: 'New join token for Paris' })
      .getByRole('button', { name: 'Make token' })
      .click()
    const renewed = page.getByRole('dialog', { name: 'Join as Paris' })
    await assertUsable(page)
    await renewed.getByRole('button', { name: 'I have it' }).click()
    await page.getByText('Join token ends').waitFor()
    addNodes(fixture.folder)
    await page.reload()
    await page.getByText('Join token has ended').waitFor()
    await assertUsableOn(page, everyScreen, { ready: menu, picture: 'vpn-nodes' })

    await menu.click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    const removing = page.getByRole('dialog', { name: 'Remove Paris?' })
    await assertUsable(page)
    await removing.getByRole('button', { name: 'Remove node' }).click()
    await menu.waitFor({ state: 'detached' })
  },
)

test(
  'an interface is made on a node and shows how it goes there; another one moves to it after a warning',
  { skip: browserObstacle() },
  async () => {
    const port = await freePort()
    await using fixture = await startFixture({
      PUBLIC_ENDPOINT: 'vpn.example.org',
      VPN_NODES_LISTEN: `127.0.0.1:${port}`,
    })
    await using browser = await startBrowser()
    const { page } = browser
    await furnish(fixture, page)
    const { stdout: token } = await runCommand(['vpn', 'node', 'add', 'Berlin'], fixture.environment)
    const identity = await joinService({
      dataDirectory: join(fixture.folder, 'host'),
      url: `https://127.0.0.1:${port}`,
      token,
      version: '0.1.0',
      isReplaced: false,
    })
    using berlin = new FakeNode(identity)
    await berlin.report([])

    await page.goto(`${fixture.service.url}/interfaces`)
    await page.getByRole('button', { name: 'Create interface' }).click()
    const creating = page.getByRole('dialog', { name: 'Create interface' })
    await creating.getByLabel('Runs on').selectOption('Berlin')
    await creating.getByText('Devices connect to 127.0.0.1').waitFor()
    await assertUsableOn(page, everyScreen, {
      ready: creating.getByText('Empty for the filter of this service'),
      picture: 'vpn-interface-on-node',
    })
    await creating.getByRole('button', { name: 'Create interface' }).click()
    await page.getByText('Waiting', { exact: true }).waitFor()
    await page.getByText('node Berlin has not taken this over yet').first().waitFor()
    const made = await berlin.state()
    assert.deepEqual(
      made?.interfaces.map(({ config }) => config.name),
      ['wg1'],
    )
    await assertUsableOn(page, everyScreen, {
      ready: page.getByText('Waiting', { exact: true }),
      picture: 'vpn-node-waits',
    })
    const dns = { started_at: Date.now(), restarts: 0, lists: 2, blocked_names: 71_204, problem: null }
    await berlin.report(['wg1'], { dns: { status: 'running', ...dns } })
    await page.getByText('Waiting', { exact: true }).waitFor({ state: 'detached' })

    await page.getByRole('navigation', { name: 'Interfaces' }).getByRole('link', { name: 'Nodes' }).click()
    await page.getByText('71,204 blocked names').waitFor()
    const problem = '10.9.0.1: another program of the host uses the port 53'
    const log = { waiting: 0, lost: 1200, lost_at: Date.now() - 3 * 3_600_000 }
    await berlin.report(['wg1'], { dns: { status: 'running', ...dns, problem, log } })
    await page.getByText(/1,200 queries lost for the log, last 3 hours ago/).waitFor()
    await assertUsableOn(page, everyScreen, { ready: page.getByText(problem), picture: 'vpn-node-dns' })
    await page.getByRole('button', { name: 'More for Berlin' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const editing = page.getByRole('dialog', { name: 'Edit Berlin' })
    await editing.getByLabel('Endpoint').fill('berlin.example.org')
    await assertUsableOn(page, everyScreen, {
      ready: editing.getByText('Peers of wg1 need their configuration again.'),
      picture: 'vpn-node-edit',
    })
    await editing.getByRole('button', { name: 'Save' }).click()
    const endpoint = page.getByText('berlin.example.org')
    await endpoint.waitFor()
    await assertUsableOn(page, everyScreen, { ready: endpoint, picture: 'vpn-node-interfaces' })

    await page.getByRole('navigation', { name: 'Interfaces' }).getByRole('link', { name: 'Interfaces' }).click()
    const moving = page.getByRole('dialog', { name: 'Edit wg0' })
    await page.getByRole('button', { name: 'More for wg0' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await moving.getByLabel('Standby').selectOption('Berlin')
    const described = moving.getByText('Devices connect to berlin.example.org, with their second configuration')
    await assertUsableOn(page, everyScreen.slice(0, 2), { ready: described, picture: 'vpn-interface-standby' })
    await moving.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Standby: Berlin').first().waitFor()
    await berlin.report(['wg0', 'wg1'])
    await assertUsableOn(page, everyScreen, {
      ready: page.getByText('Standby: Berlin').first(),
      picture: 'vpn-interfaces-standby',
    })
    await page.goto(`${fixture.service.url}/peers`)
    const marks = page.getByText('Needs the standby configuration', { exact: true })
    await marks.first().waitFor()
    const marked = await marks.count()
    await page
      .getByRole('button', { name: /^Connect / })
      .first()
      .click()
    const connecting = page.getByRole('dialog', { name: 'Connect this device' })
    await connecting.getByText('Standby: Berlin').click()
    const code = connecting.getByRole('img', { name: /QR code with the standby configuration/ })
    await code.waitFor()
    await assertUsableOn(page, everyScreen.slice(0, 2), { ready: code, picture: 'vpn-connect-standby' })
    const download = page.waitForEvent('download')
    await connecting.getByRole('button', { name: 'Download standby file' }).click()
    assert.match((await download).suggestedFilename(), /-2\.conf$/)
    await page.keyboard.press('Escape')
    await eventually(
      () => marks.count(),
      (count) => count < marked,
      { what: 'the mark goes with the file' },
    )
    await page.getByRole('link', { name: 'Phone' }).click()
    await page.getByRole('button', { name: 'Make a link' }).click()
    await page.getByRole('button', { name: 'Make link' }).click()
    const url = ((await page.getByLabel('Set-up link', { exact: true }).textContent()) ?? '').trim()
    await page.goto('about:blank')
    await page.goto(url)
    await page.getByRole('button', { name: 'Show configuration' }).click()
    const second = page.getByRole('img', { name: 'QR code with the standby configuration of Phone' })
    await second.waitFor()
    await page.getByText('save both files or scan both codes').waitFor()
    await assertUsableOn(page, everyScreen, { ready: second, picture: 'vpn-setup-standby' })
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save standby file' }).click()
    assert.equal((await file).suggestedFilename(), 'Phone-2.conf')
    await page.goto(`${fixture.service.url}/interfaces`)
    const openMove = async () => {
      await page.getByRole('button', { name: 'More for wg0' }).click()
      await page.getByRole('menuitem', { name: 'Edit' }).click()
      await moving.getByLabel('Runs on').selectOption('Berlin')
      await moving.getByText(/3 peers are cut off/).waitFor()
    }
    // The row, with its dialog, is another one on a phone.
    for (const screens of [everyScreen.slice(0, 2), everyScreen.slice(2)]) {
      await page.setViewportSize({ width: screens[0]?.[0] ?? 0, height: 844 })
      await openMove()
      const ready = moving.getByText('wg0 moves to Berlin')
      await assertUsableOn(page, screens, { ready, picture: 'vpn-interface-move' })
      if ((await moving.count()) > 0) await page.keyboard.press('Escape')
      await moving.waitFor({ state: 'detached' })
    }
    await openMove()
    await moving.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/moved to Berlin; 3 peers need their configuration again/).waitFor()
    assert.equal((await berlin.state())?.interfaces.length, 2)
  },
)

test(
  'while nodes are off, no page leads to them, and theirs says what to set',
  { skip: browserObstacle() },
  async () => {
    await using fixture = await startFixture()
    await using browser = await startBrowser()
    const { page } = browser
    await furnish(fixture, page)
    await page.goto(`${fixture.service.url}/interfaces`)
    await page.getByRole('button', { name: 'Create interface' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Nodes' }).count(), 0)
    await page.goto(`${fixture.service.url}/interfaces/nodes`)
    await page.getByText('Nodes are off').waitFor()
    await page.getByText(/VPN_NODES_LISTEN/).waitFor()
    await assertUsable(page)
  },
)

/** Stores a node that waits and whose token has ended. */
function addNodes(folder: string): void {
  using database = new DatabaseSync(join(folder, 'vpn.db'), { timeout: 10_000 })
  database.exec(
    `insert into nodes (id, name, name_key, created_at) values
     ('01990000-0000-7000-8000-000000000001', 'A node with a name as long as the service lets it be, about', 'a node', 0)`,
  )
}
