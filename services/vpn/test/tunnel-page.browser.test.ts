import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, eventually, everyScreen, signIn, startBrowser } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { testPassword } from './in-process.ts'
import { startTunnelPage } from './tunnel-page-fixture.ts'

const lookAt = (page: Page, name: string) => assertUsableOn(page, everyScreen, { picture: `vpn-tunnel-page-${name}` })

test(
  'a person asks for a name on a phone, the administrator answers with one click, and the person sees it',
  { skip: browserObstacle() },
  async () => {
    await using fixture = await startTunnelPage()
    const { call } = fixture
    const kids = { name: 'Kids', peer_ids: [fixture.phone], self_pause_minutes: 60 }
    await call('POST', '/api/dns/profiles', kids)
    await call('PUT', `/api/peers/${fixture.phone}`, { limit_down: 20, expires_at: '2099-01-01T00:00:00Z' })
    await call('PUT', `/api/peers/${fixture.phone}/quota`, { bytes: 5_000_000_000 })
    const longName = `${'very-long-label-'.repeat(3)}tracker.${'another-long-one-'.repeat(3)}x.ads.example`
    for (const domain of ['ads.example', 'games.example'])
      await call('POST', '/api/dns/rules', { action: 'block', domain })
    for (const name of ['ads.example', 'games.example', longName]) await fixture.looksUp(name)

    await using person = await startBrowser({ viewport: { width: 390, height: 800 } })
    const phone = person.page
    await eventually(
      async () => {
        await phone.goto(fixture.url)
        return phone.getByRole('button', { name: 'Ask to allow' }).count()
      },
      (count) => count === 3,
      { what: 'three blocked names' },
    )
    assert.equal(await phone.title(), 'Phone · VPN')
    await phone.getByText('Your profile is Kids').waitFor()
    await phone.getByText('5.0 GB of 5.0 GB left').waitFor()
    await lookAt(phone, 'blocked')

    await phone.getByText('Something does not work?').click()
    await phone.getByRole('textbox', { name: 'Name' }).fill('other.example')
    await phone.getByRole('button', { name: 'Send request' }).click()
    await phone.getByText('other.example is not blocked for this device').waitFor()
    await lookAt(phone, 'problem')
    await phone.getByRole('textbox', { name: 'Name' }).fill('games.example')
    await phone.getByLabel('What you need it for (optional)').fill('Homework <b>really</b>')
    await phone.getByRole('button', { name: 'Send request' }).click()
    await phone.getByText('Your request is sent').waitFor()
    await phone.getByRole('button', { name: 'Ask to allow ads.example', exact: true }).click()
    await phone.getByText('Waiting for an answer').nth(1).waitFor()
    await lookAt(phone, 'asked')

    await fixture.service.service.app.http.listen({ host: '127.0.0.1', port: 0 })
    const address = fixture.service.service.app.http.server.address()
    assert.ok(typeof address === 'object' && address !== null)
    await using office = await startBrowser()
    const admin = office.page
    await admin.goto(`http://127.0.0.1:${address.port}/dns/requests`)
    await signIn(admin, 'admin', testPassword)
    await admin.getByRole('link', { name: 'Requests (2)' }).waitFor()
    const request = admin.getByRole('listitem', { name: 'games.example for Phone' })
    await request.getByText('Homework <b>really</b>').waitFor()
    await lookAt(admin, 'requests')
    await request.getByRole('button', { name: 'Allow for this device' }).click()
    await request.getByText('Allowed for the device').waitFor()
    await admin.getByRole('link', { name: 'Requests (1)' }).waitFor()
    const other = admin.getByRole('listitem', { name: 'ads.example for Phone' })
    await other.getByRole('button', { name: 'Refuse' }).click()
    const refuse = admin.getByRole('dialog', { name: 'Refuse ads.example?' })
    await refuse.getByLabel('A word for Phone').fill('It is advertising')
    await refuse.getByRole('button', { name: 'Refuse' }).click()
    await other.getByText('Refused').waitFor()
    await lookAt(admin, 'answered')

    await phone.getByRole('link', { name: 'Refresh' }).click()
    await phone.getByText('Answer: It is advertising').waitFor()
    await phone.getByText('Allowed', { exact: true }).waitFor()
    assert.equal(await fixture.looksUp('games.example'), 'open')
    await phone.getByRole('button', { name: 'Ask to allow ads.example', exact: true }).click()
    // The page of the administrator knows it by itself.
    await admin.getByRole('link', { name: 'Requests (1)' }).waitFor()

    await phone.getByRole('button', { name: '15 minutes' }).click()
    await phone.getByText('The filter of this device is paused. Names').waitFor()
    assert.equal(await fixture.looksUp('ads.example'), 'open')
    await lookAt(phone, 'paused')
    await admin.getByRole('link', { name: 'Overview' }).last().click()
    const paused = admin.getByRole('region', { name: 'Paused by the device' })
    await paused.getByText(/Paused, 14:\d\d left/).waitFor()
    await lookAt(admin, 'device-pauses')
    await paused.getByRole('link', { name: 'Phone' }).click()
    const drawer = admin.getByRole('dialog', { name: 'Phone' })
    await drawer.getByText('The device paused its filter.').waitFor()
    await lookAt(admin, 'peer-pause')
    await drawer.getByRole('button', { name: 'End pause of Phone' }).click()
    await drawer.getByText('The device paused its filter.').waitFor({ state: 'detached' })
    await phone.getByRole('link', { name: 'Refresh' }).click()
    await phone.getByText('Your pause was ended less than a minute ago.').waitFor()
    await lookAt(phone, 'pause-ended')
    assert.equal(await fixture.looksUp('ads.example'), 'blocked')
    await phone.getByRole('button', { name: '15 minutes' }).click()
    await phone.getByText('The filter of this device is paused. Names').waitFor()
    await phone.getByRole('button', { name: 'Filter again now' }).click()
    await phone.getByText('The filter is on.').waitFor()
    assert.equal(await fixture.looksUp('ads.example'), 'blocked')

    fixture.comeFrom('192.0.2.9')
    await phone.goto(fixture.url)
    await phone.getByText('This device is not known').waitFor()
    await lookAt(phone, 'unknown')

    await admin.goto(`http://127.0.0.1:${address.port}/dns/requests`)
    await admin.getByRole('link', { name: 'Switch it on in Settings' }).click()
    await admin.getByLabel('Show people their own device').check()
    await admin.getByLabel('A device may pause its filter for').fill('10')
    await admin.getByRole('button', { name: 'Save' }).click()
    await eventually(
      () => call('GET', '/api/settings'),
      ({ data }) => data.tunnel_page_enabled === true && data.tunnel_page_pause_minutes === 10,
      { what: 'settings that are saved' },
    )
    await admin.goto(`http://127.0.0.1:${address.port}/dns/requests`)
    await admin.getByText('WireGuard is simulated').waitFor()
  },
)
