import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, everyScreen } from '@hearth/testing'
import { openFurnished } from './browser-fixture.ts'

const minute = 60_000
const at = (ago: number) => new Date(Date.now() - ago).toISOString()
const home = {
  address: '198.51.100.7',
  country_code: 'DE',
  country: 'Germany',
  asn: 3320,
  organization: 'Deutsche Telekom AG',
}
const far = {
  address: '2001:db8:1234:5678::9',
  country_code: 'BR',
  country: 'Brazil',
  asn: 28_573,
  organization: 'Claro NXT',
}

const seen = (place: object, minutes: number) => {
  return { ...place, at: at(minutes * minute), handshake_at: at(minutes * minute) }
}

/** Evidence of each kind, as the detectors make it. */
const evidence = {
  two_places: {
    kind: 'two_places',
    returns: 5,
    distance_km: 10_245,
    sightings: [seen(home, 10), seen(far, 9), seen(home, 8), seen(far, 7), seen(home, 6)],
  },
  new_country: {
    kind: 'new_country',
    known: [{ country_code: 'DE', country: 'Germany', last_seen: at(90 * minute) }],
    known_since: at(40 * 1440 * minute),
    new: [{ ...far, at: at(30 * minute) }],
  },
  tunnelling: {
    kind: 'tunnelling',
    domain: 't.example.net',
    from: at(20 * minute),
    to: at(12 * minute),
    queries: 812,
    names: 790,
    mean_length: 61.4,
    max_label: 60,
    entropy: 4.31,
    nxdomain_share: 0.02,
    bytes_per_minute: 6232,
    types: [
      { type: 'TXT', count: 700 },
      { type: 'A', count: 112 },
    ],
    examples: ['mzxw6ytboi2gkzdsmvqw4zlsmfzgs4tfmnxw4zlsmfzgs4tfmnxw4zlsmf.zgs4tfmnxw4', 'paaaabcde'],
  },
  list_surge: {
    kind: 'list_surge',
    hour: at(60 * minute),
    count: 4210,
    usual: 63,
    days: 14,
    names: [
      { domain: 'cdn.example.com', count: 310 },
      { domain: 'static.a-shop-with-a-long-name.example.org', count: 122 },
    ],
    list_updated_at: at(120 * minute),
    list_entries: 214_000,
    after_update: true,
  },
}

/** Stores a hint of each kind. */
function addHints(folder: string): void {
  using database = new DatabaseSync(join(folder, 'vpn.db'), { timeout: 10_000 })
  const insert = database.prepare(
    `insert into hints select ?, ?, id, name, ?, 'open', ?, 3, ?, ?, null, null from peers where name = 'Phone'`,
  )
  const insertList = database.prepare(
    `insert into hints select ?, ?, id, name, ?, 'open', ?, 3, ?, ?, null, null from lists limit 1`,
  )
  const topics: Record<string, string> = { new_country: 'BR', tunnelling: 't.example.net' }
  for (const [index, [kind, value]] of Object.entries(evidence).entries()) {
    const last = Date.now() - (index + 1) * 10 * minute
    const into = kind === 'list_surge' ? insertList : insert
    into.run(randomUUID(), kind, topics[kind] ?? '', JSON.stringify(value), last - 20 * minute, last)
  }
}

test(
  'hints are read with their evidence, answered as done or expected, and expected no longer',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/hints')
    const { page, fixture } = opened
    await page.getByText('Nothing unusual').waitFor()
    await page.getByText('Countries are not known').waitFor()
    await assertUsableOn(page, everyScreen, { ready: page.getByText('Nothing unusual'), picture: 'vpn-hints-empty' })
    addHints(fixture.folder)
    await page.goto(`${fixture.service.url}/`)
    await page.getByRole('link', { name: '4 open hints' }).click()

    const open = page.getByRole('list', { name: 'Open hints' })
    const places = open.getByRole('listitem', { name: 'The key of Phone is used from two places' })
    await places.getByText('10,245 km').waitFor()
    assert.match(await places.innerText(), /198\.51\.100\.7\s+Germany\s+Deutsche Telekom AG, AS3320[^]*Brazil/)
    const tunnel = open.getByRole('listitem', { name: 'DNS queries of Phone look like a tunnel through t.example.net' })
    assert.match(await tunnel.innerText(), /812 queries, about 790 different names[^]*TXT 700, A 112[^]*mzxw6/)
    assert.equal(
      await tunnel.getByRole('link', { name: 'See queries' }).getAttribute('href'),
      '/dns/log?client=Phone&q=t.example.net',
    )
    const surge = open.getByRole('listitem', { name: /blocks 67 times as much as usual$/ })
    assert.match(await surge.innerText(), /4,210[^]*63 per hour in the last 14 days[^]*shortly before/)
    await assertUsableOn(page, everyScreen, { ready: places, picture: 'vpn-hints' })

    await tunnel.getByRole('button', { name: 'Expected' }).click()
    await page.getByRole('menuitem', { name: 'Never again for t.example.net' }).click()
    await tunnel.waitFor({ state: 'detached' })
    await places.getByRole('button', { name: 'Disable peer' }).click()
    await page.getByText('Peer Phone', { exact: false }).first().waitFor()
    await places.getByRole('button', { name: 'Done' }).click()
    await places.waitFor({ state: 'detached' })
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await navigation.getByRole('link', { name: 'Hints 2 open' }).waitFor()

    const expected = page.getByRole('region', { name: 'Expected' })
    await expected.getByText('t.example.net').waitFor()
    await assertUsableOn(page, everyScreen, { ready: expected, picture: 'vpn-hints-expected' })
    await expected.getByRole('button', { name: 'Hint again: t.example.net' }).click()
    await expected.waitFor({ state: 'detached' })
    await page.getByText('Answered', { exact: true }).click()
    const answered = page.getByRole('list', { name: 'Answered hints' })
    assert.match(await answered.innerText(), /Done, said by admin[^]*Expected, said by admin/)
  },
)
