import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, everyScreen } from '@hearth/testing'
import { openFurnished } from './browser-fixture.ts'

test(
  'a quota is set on the page of a peer, which shows what is used of it, and is begun anew and removed there',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page } = opened
    await page.getByRole('link', { name: 'Phone' }).click()
    const section = page.getByRole('region', { name: 'Quota' })
    await section.getByText('No quota').waitFor()
    await section.getByRole('button', { name: 'Set a quota' }).click()
    const form = page.getByRole('dialog', { name: 'Quota of Phone' })
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Enter how much').waitFor()
    await form.getByLabel('Traffic').fill('50')
    await form.getByLabel('Month begins on day').fill('15')
    await form.getByLabel('When it is used up').selectOption('Slow the peer down')
    await form.getByLabel('Slow down to').fill('2')
    await assertUsableOn(page, everyScreen)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    await section.getByText('0 GB of 50 GB').waitFor()
    await section.getByText(/Begins anew on 15 \w+\. When it is used up, it is slowed down to 2 Mbit\/s\./).waitFor()
    await assertUsableOn(page, everyScreen, { ready: section })
    await section.getByRole('button', { name: 'Begin anew' }).click()
    await page.getByText('Quota of Phone begun anew').waitFor()
    await section.getByRole('button', { name: 'Remove quota' }).click()
    await section.getByText('No quota').waitFor()
    assert.equal(await section.getByRole('button', { name: 'Begin anew' }).count(), 0)
  },
)

test(
  'a peer over its quota says so in the list and on its page, with until when',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page } = opened
    const quota = {
      bytes: 50e9,
      counts: 'both',
      period: 'month',
      start_day: 1,
      at_limit: 'stop',
      slow_to: null,
      used: 50.2e9,
      state: 'over',
      since: '2026-11-01T00:00:00.000Z',
      until: '2026-12-01T12:00:00.000Z',
    }
    await page.route(/\/api\/peers(\?.*|\/[-0-9a-f]{36})$/, async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { data: { peers?: object[] } }
      for (const peer of body.data.peers ?? [body.data]) Object.assign(peer, { quota })
      await route.fulfill({ response, json: body })
    })
    await page.reload()
    await page.getByRole('table', { name: 'Peers' }).getByText('Over its quota').first().waitFor()
    await assertUsableOn(page, everyScreen)
    await page.getByRole('link', { name: 'Phone' }).click()
    const section = page.getByRole('region', { name: 'Quota' })
    await section.getByText('Over its quota, stopped until 1 December.').waitFor()
    await section.getByText('50.2 GB of 50 GB').waitFor()
    await assertUsableOn(page, everyScreen, { ready: section })
  },
)
