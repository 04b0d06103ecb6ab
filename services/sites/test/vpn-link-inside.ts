import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { execa } from 'execa'
import { createPostgresDatabase, eventually, postgresObstacle } from '@hearth/testing'
import type { VpnLinkView, VpnUnlinked } from '../src/vpn-link/schema.ts'
import type { Browser } from './browser.ts'
import { settleNetwork } from './continuous-load/own-network.ts'
import { startSites, type Sites } from './in-process.ts'
import { visitFrom } from './reach-visitor.ts'
import { makeSite, type EditAnswer } from './served.ts'
import { startVpn, type VpnProcess } from './vpn-process.ts'

const inside = '10.99.0.1'
const visitors = { home: '10.231.9.5', tunnel: '10.231.8.2', outside: '203.0.113.7' } as const
const plain = { tls: { mode: 'off' }, kind: 'respond', respond: { body: 'hello' } } as const
const site = (name: string, members: object = {}) => ({
  site_name: name,
  domains: [`${name}.example`],
  ...plain,
  ...members,
})

interface Problem {
  readonly detail: string
  readonly code?: string
  readonly errors?: readonly { field: string; message: string }[]
}

// Run by `vpn-link.test.ts` in a network of its own, where addresses of home, tunnel and outside are this machine's.
await settleNetwork()
for (const address of Object.values(visitors)) await execa('ip', ['address', 'add', `${address}/32`, 'dev', 'lo'])

for (const [database, skip] of [
  ['SQLite', undefined],
  ['PostgreSQL', postgresObstacle()],
] as const)
  describe(`a link with a real Hearth VPN, on ${database}`, { skip }, () => {
    let vpn: VpnProcess
    let sites: Sites
    let admin: Browser

    const change = (json: object) => admin.json<VpnLinkView & Problem>('PATCH', '/api/vpn-link', { json })
    const view = async () => (await admin.json<VpnLinkView>('GET', '/api/vpn-link')).body
    const inStep = (what = 'the records in step') =>
      eventually(view, ({ state, waiting_count: waiting }) => state === 'in_step' && waiting === 0, { what })
    const check = async () => (await admin.json<VpnLinkView>('POST', '/api/vpn-link/check')).body
    const leadsTo = (name: string, addresses: readonly string[]) =>
      eventually(
        () => vpn.resolve(name),
        (found) => found.join() === addresses.join(),
        { what: `${name} to lead to ${addresses.join()}` },
      )
    const statuses = async (host: string) => {
      const [port] = sites.caddyPorts
      const all = await Promise.all(Object.values(visitors).map((from) => visitFrom({ host, from, port })))
      return all.map(({ status }) => status).join(' ')
    }

    before(async () => {
      vpn = await startVpn()
      const url = database === 'PostgreSQL' ? { DATABASE_URL: await createPostgresDatabase() } : {}
      sites = await startSites({ OUTBOUND_ALLOW: '127.0.0.1', ...url }, { caddy: true })
      admin = await sites.signIn()
      await eventually(
        async () => (await admin.call('GET', '/api/v1/ready')).status,
        (status) => status === 200,
      )
    })
    after(async () => {
      await sites[Symbol.asyncDispose]()
      await vpn[Symbol.asyncDispose]()
    })

    test('what is wrong with an address or a token is said, and nothing is stored', async () => {
      const other = sites.url
      const readOnly = await vpn.makeToken('read-only')
      for (const [address, token, field, message] of [
        ['http://127.0.0.1:9', vpn.token, 'address', /is away: 127\.0\.0\.1 cannot be reached/],
        [other, vpn.token, 'address', /not a Hearth VPN/],
        ['http://192.168.255.1:8101', vpn.token, 'address', /OUTBOUND_ALLOW/],
        ['ftp://127.0.0.1', vpn.token, 'address', /must be an address/],
        ['http://me:secret@127.0.0.1', vpn.token, 'address', /user name/],
        [vpn.url, 'hvpn_wrong', 'token', /does not know the token/],
        [vpn.url, readOnly, 'token', /read-only/],
        [vpn.url, 'two words', 'token', /API token/],
      ] as const) {
        const { status, body } = await change({ address, token })
        assert.equal(status, 422, `${address} ${JSON.stringify(body)}`)
        const [error] = body.errors ?? []
        assert.equal(error?.field, field)
        assert.match(error?.message ?? '', message)
        assert.ok(!JSON.stringify(body).includes(token))
      }
      assert.equal((await view()).address, null)
      const { body } = await change({ address: vpn.url })
      assert.equal(body.errors?.[0]?.field, 'token')
      for (const home of ['0.0.0.0/0', '10.0.0.0/7', '2000::/3', 'nonsense', '192.168.1.0/33'])
        assert.equal((await change({ home_networks: [home] })).status, 422, home)
      assert.equal((await change({ inside_addresses: ['fe80::1%eth0'] })).status, 422)
    })

    test('a site for the tunnel is closed until there is one, and then reached from there alone', async () => {
      const { id } = await makeSite(admin, site('tunnel', { reach: 'tunnel' }))
      await makeSite(admin, site('home', { reach: 'home' }))
      await makeSite(admin, site('open'))
      assert.equal(await statuses('tunnel.example'), '503 503 503')
      const preview = await admin.json<{ notes: string[] }>('POST', `/api/sites/${id}/preview`, { json: {} })
      assert.match(preview.body.notes.join(), /no tunnel is known/)
      const linked = await change({
        address: `${vpn.url}/`,
        token: vpn.token,
        home_networks: ['10.231.9.0/24'],
        inside_addresses: [inside, 'FD99:0::1'],
      })
      assert.equal(linked.status, 200, JSON.stringify(linked.body))
      assert.deepEqual(
        linked.body.tunnels.map(({ name, networks }) => [name, networks[0]]),
        [['wg0', '10.231.8.0/24']],
      )
      assert.ok(!JSON.stringify(linked.body).includes(vpn.token))
      await eventually(
        () => statuses('tunnel.example'),
        (all) => all === '403 200 403',
      )
      assert.equal(await statuses('home.example'), '200 200 403')
      assert.equal(await statuses('open.example'), '200 200 200')
      const explained = async (client_ip?: string) => {
        const visit = { url: 'http://tunnel.example/', method: 'GET', user_id: null, ...(client_ip && { client_ip }) }
        const { body } = await admin.json<{ outcome: string; reason: string }>('POST', '/api/v1/portal/explain', {
          json: visit,
        })
        return `${body.outcome}: ${body.reason}`
      }
      assert.match(await explained(visitors.tunnel), /^allow/)
      assert.match(await explained(visitors.home), /^forbidden: .*through the VPN only, and not from 10\.231\.9\.5/)
      assert.match(await explained(), /^forbidden: .*address that is not given/)
      const checked = await admin.json<{ is_good: boolean; came_back: string }>('POST', `/api/v1/sites/${id}/check`)
      assert.match(checked.body.came_back, /not for this machine/, 'the check is not from the tunnel')
      assert.equal(checked.body.is_good, true)
      const list = await admin.json<{ site_name: string }[]>('GET', '/api/sites?reach=tunnel')
      assert.deepEqual(
        list.body.map((one) => one.site_name),
        ['tunnel'],
      )
    })

    test('names lead to Caddy inside, follow each edit, and others’ records stay', async () => {
      await leadsTo('open.example', [inside])
      assert.deepEqual(await vpn.resolve('open.example', 6), ['fd99::1'])
      assert.equal((await inStep()).record_count, 6)
      const wild = await makeSite(admin, site('wild', { domains: ['*.wild.example', '192.0.2.7'] }))
      await leadsTo('any.wild.example', [inside])
      assert.equal((await inStep()).record_count, 8)
      await admin.json('PATCH', `/api/sites/${wild.id}`, { json: { enabled: false } })
      await leadsTo('any.wild.example', [])
      await admin.json('PATCH', `/api/sites/${wild.id}`, { json: { enabled: true, domains: ['moved.example'] } })
      await leadsTo('moved.example', [inside])
      await admin.json('DELETE', `/api/sites/${wild.id}`)
      await leadsTo('moved.example', [])
      await change({ records: 'limited' })
      await leadsTo('open.example', [])
      await leadsTo('home.example', [inside])
      await change({ records: 'all' })
      await leadsTo('open.example', [inside])
      await change({ inside_addresses: [inside] })
      await eventually(
        () => vpn.resolve('open.example', 6),
        (found) => found.length === 0,
      )
    })

    test('a record of an operator of the VPN counts, and is shown as a conflict', async () => {
      const own = { name: 'own.example', type: 'A', value: '192.168.1.5' }
      const { data } = (await vpn.call('POST', '/api/dns/records', own)).body as { data: { id: string } }
      await makeSite(admin, site('own'))
      const { conflicts } = await eventually(view, ({ conflict_count: count }) => count === 1)
      assert.deepEqual(conflicts, [
        { name: 'own.example', message: 'An operator of the VPN has other addresses for the name.' },
      ])
      assert.deepEqual(await vpn.resolve('own.example'), ['192.168.1.5'])
      await vpn.call('DELETE', `/api/dns/records/${data.id}`)
      assert.equal((await check()).conflict_count, 0)
      assert.deepEqual(await vpn.resolve('own.example'), [inside])
    })

    test('with the VPN away edits go on, the last networks hold, and everything follows when it is back', async () => {
      await vpn.stop('kill')
      const made = await makeSite(admin, site('meanwhile', { reach: 'tunnel' }))
      assert.equal(await statuses('meanwhile.example'), '403 200 403')
      const away = await check()
      assert.equal(away.state, 'failing')
      assert.match(away.problem ?? '', /is away/)
      await sites.restart({ OUTBOUND_ALLOW: '127.0.0.1' })
      admin = await sites.signIn()
      await eventually(
        async () => (await admin.call('GET', '/api/v1/ready')).status,
        (status) => status === 200,
      )
      await eventually(
        () => statuses('meanwhile.example'),
        (all) => all === '403 200 403',
      )
      await vpn.startAgain()
      assert.equal((await check()).state, 'in_step')
      await leadsTo('meanwhile.example', [inside])
      const edited = await admin.json<EditAnswer>('PATCH', `/api/sites/${made.id}`, { json: { reach: 'everyone' } })
      assert.equal(edited.body.site.reach, 'everyone')
    })

    test('the link ends with its records, and not while a site is for the tunnel alone', async () => {
      const refused = await admin.json<Problem>('DELETE', '/api/vpn-link')
      assert.deepEqual([refused.status, refused.body.code], [409, 'tunnel_sites'])
      assert.match(refused.body.detail, /tunnel only: tunnel\. Change/)
      const [tunnel] = (await admin.json<{ id: number }[]>('GET', '/api/sites?reach=tunnel')).body
      await admin.json('DELETE', `/api/sites/${tunnel?.id}`)
      await eventually(view, ({ record_count: count }) => count === 4)
      const { body, status } = await admin.json<VpnUnlinked>('DELETE', '/api/vpn-link')
      assert.equal(status, 200)
      assert.equal(body.removed, 4)
      assert.deepEqual(await vpn.resolve('open.example'), [])
      const now = await view()
      assert.deepEqual([now.state, now.address, now.home_networks], ['unlinked', null, ['10.231.9.0/24']])
      await eventually(
        () => statuses('home.example'),
        (all) => all === '200 403 403',
        { what: 'the tunnel to be outside' },
      )
    })
  })
