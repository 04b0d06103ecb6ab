import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, everyScreen, settled, visit } from '@hearth/testing'
import { openBrowserFixture } from './browser-fixture.ts'
import { startPlatform } from './platform/platform.ts'

test(
  'several downloads are selected and shared, and the link is changed, watched and revoked',
  { skip: browserObstacle() },
  async () => {
    await using platform = await startPlatform()
    await using fixture = await openBrowserFixture(platform)
    const { media, page } = fixture
    const ids: string[] = []
    for (const title of ['First song', 'Second song', 'Third song']) {
      const { id } = await media.submit(platform.page('sound.m4a', { title, id: title }))
      await media.reach(id, 'analysis_done')
      ids.push(id)
    }
    await visit(page, `${media.url}/library`)
    await settled(page)
    const bar = page.getByRole('region', { name: 'Chosen downloads' })
    await page.getByRole('checkbox', { name: 'Choose Third song (1)' }).check()
    await page.getByRole('checkbox', { name: 'Choose First song (1)' }).check()
    await bar.getByText('2 chosen').waitFor()
    await assertUsableOn(page, everyScreen, { picture: 'media-library' })
    await bar.getByRole('button', { name: 'Share' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share 2 files' })
    await dialog.getByLabel('Title of the page').fill('For Mira')
    await dialog.getByLabel('Password', { exact: true }).fill('short')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByText('Needs at least 6 characters').waitFor()
    await dialog.getByLabel('Password', { exact: true }).fill('open sesame')
    await assertUsableOn(page, everyScreen, { picture: 'media-share-form' })
    await dialog.getByRole('button', { name: 'Create link' }).click()

    const line = page
      .getByRole('list', { name: 'Shared links' })
      .getByRole('listitem')
      .filter({ hasText: 'For Mira' })
      .first()
    await line.getByText('2 files').waitFor()
    await line.getByText('Password').waitFor()
    const url = (await line.locator('code').textContent()) ?? ''
    // In the order they were chosen.
    const { body } = await media.json<{ files: { job_id: string }[] }[]>('GET', '/api/shares')
    assert.deepEqual(
      body[0]?.files.map(({ job_id }) => job_id),
      [ids[2], ids[0]],
    )
    assert.equal((await fetch(`${url}/1`)).status, 403)

    await line.getByRole('button', { name: 'Change the link For Mira' }).click()
    const edit = page.getByRole('dialog', { name: 'Change the link' })
    await edit.getByLabel('Remove the password').check()
    await edit.getByLabel('Uses').fill('3')
    await edit.getByRole('button', { name: 'Save' }).click()
    await line.getByText('Used 0 of 3×').waitFor()
    const file = await fetch(`${url}/1`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
    await file.arrayBuffer()
    assert.equal(file.status, 200)
    await page.reload()
    await line.getByText('Used 1 of 3×').waitFor()
    await assertUsableOn(page, everyScreen, { picture: 'media-links' })
    await line.getByRole('button', { name: 'Who fetched by For Mira' }).click()
    await page.getByRole('dialog').getByText('203.0.113.0/24').waitFor()
    await page.getByRole('dialog').getByText('Third song (1)').waitFor()
    await assertUsableOn(page, everyScreen, { picture: 'media-link-fetches' })
    await page.keyboard.press('Escape')
    await line.getByRole('button', { name: 'Revoke the link For Mira' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke link' }).click()
    await page.getByText('No links yet').waitFor()
    assert.equal((await fetch(`${url}/1`)).status, 404)
  },
)
