import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, everyScreen, screenshot } from '@hearth/testing'
import { openFurnished } from './browser-fixture.ts'

const hour = 3_600_000

/** Stores connections of a peer: when they began and ended, hours ago, and where from. */
function addConnections(folder: string, name: string, connections: readonly [number, number | null, string[]][]): void {
  using database = new DatabaseSync(join(folder, 'vpn.db'), { timeout: 10_000 })
  const insert = database.prepare(
    'insert into peer_connections select id, ?, ?, 0, 0, ?, ?, ?, ? from peers where name = ?',
  )
  for (const [began, ended, addresses] of connections) {
    const listed = JSON.stringify(addresses.map((address) => [address, 5000, 90_000]))
    const [from, to] = [began, ended].map((ago) => (ago === null ? null : Math.floor(Date.now() - ago * hour)))
    const count = addresses.length
    insert.run(from ?? 0, to ?? null, 5000 * count, 90_000 * count, listed, count - 1, name)
  }
}

test(
  'the details of a peer show when it was connected, day by day and in a table, with keys and on a phone',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page, fixture } = opened
    const rows = Array.from({ length: 12 }, (_, index): [number, number, string[]] => {
      const began = 24 * (index + 2)
      return [began, began - 1 - (index % 5), ['192.0.2.7']]
    })
    addConnections(fixture.folder, 'Phone', [...rows, [20, 3, ['2001:db8:1234:5678:9abc:def0:1234:5678', '192.0.2.9']]])
    await page.getByRole('link', { name: 'Phone' }).click()
    const section = page.getByRole('region', { name: 'Connections' })
    await section.getByText('13 connections').waitFor()
    await section.getByText(/^Connected on 1[2-5] of the last 30 days\.$/).waitFor()
    const table = section.getByRole('table', { name: 'Connections' })
    assert.match(await table.innerText(), /for 17 h[^]*192\.0\.2\.9[^]*2001:db8:[^]*1 change of address[^]*9\.77 KiB/)
    await assertUsableOn(page, everyScreen, { ready: section, picture: 'vpn-peer-connections' })
    await section.getByRole('button', { name: 'Older' }).click()
    assert.equal(await table.getByRole('row').count(), 6, 'a heading and five more')

    const days = section.getByRole('slider', { name: 'Day' })
    await days.focus()
    await days.press('ArrowLeft')
    assert.match(String(await days.getAttribute('aria-valuetext')), /: (not )?connected/)
    await days.press('Home')
    await section.getByText('No connection on this day.').waitFor()
    await screenshot(page, 'vpn-peer-connections-day')
    await section.getByRole('button', { name: 'All days' }).click()
    await section.getByText('13 connections').waitFor()

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      section.getByRole('link', { name: 'CSV' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'connections.csv')
  },
)
