import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually, metricSamples, startWebhookReceiver } from '@hearth/testing'
import type { VpnLinkView } from '../src/vpn-link/schema.ts'
import { startFakeVpn } from './fake-vpn.ts'
import { startSites } from './in-process.ts'
import { startVpn } from './vpn-process.ts'

const METRICS_TOKEN = 'a-token-of-a-scraper'

/** A service that is linked with a VPN and tells a webhook; an hour passes in a minute. */
async function openLinked(vpn: { readonly url: string; readonly token: string }) {
  await using made = new AsyncDisposableStack()
  const receiver = made.use(await startWebhookReceiver())
  const environment = { OUTBOUND_ALLOW: '127.0.0.1', METRICS_TOKEN }
  const sites = made.use(await startSites(environment, { timers: createFastTimers(60) }))
  const admin = await sites.signIn()
  const destination = {
    name: 'Hook',
    is_enabled: true,
    target: { kind: 'webhook', url: receiver.url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
    rules: {
      classes: ['vpn.away'],
      minimum_severity: 'info',
      time_zone: 'UTC',
      quiet_hours: null,
      digest: { every: 'message' },
    },
  }
  const created = await admin.json('POST', '/api/v1/notifications/destinations', { json: destination })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const json = { address: vpn.url, token: vpn.token, inside_addresses: ['10.99.0.1'] }
  const linked = await admin.json<VpnLinkView>('PATCH', '/api/vpn-link', { json })
  assert.equal(linked.status, 200, JSON.stringify(linked.body))
  const all = made.move()
  return {
    sites,
    admin,
    receiver,
    told: (count: number) =>
      eventually(
        () => receiver.titles(),
        (titles) => titles.length >= count,
        { seconds: 120, what: `${count} messages` },
      ),
    isUp: async () => {
      const authorization = `Bearer ${METRICS_TOKEN}`
      const response = await fetch(`${sites.url}/metrics`, { headers: { authorization } })
      return metricSamples(await response.text()).get('hearth_sites_vpn_link_up')
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

test('a real VPN that is away for long is told once, across a restart, and once more when it is back', async () => {
  await using vpn = await startVpn()
  await using place = await openLinked(vpn)
  const { receiver, told } = place
  await eventually(place.isUp, (isUp) => isUp === 1, { seconds: 60 })
  await vpn.stop('kill')
  assert.deepEqual(await told(1), ['Hearth VPN is away'])
  const [message] = receiver.received
  assert.deepEqual([message?.type, message?.state], ['vpn.away', 'began'])
  assert.match(message?.text ?? '', /^The VPN is away: .*Check whether it runs/)
  assert.ok(!JSON.stringify(message).includes(vpn.token))
  assert.equal(await place.isUp(), 0)
  await place.sites.restart()
  const admin = await place.sites.signIn()
  const view = async () => (await admin.json<VpnLinkView>('GET', '/api/vpn-link')).body
  const failing = await eventually(view, ({ state }) => state === 'failing', { seconds: 60 })
  assert.notEqual(failing.failing_since, null)
  await vpn.startAgain()
  assert.deepEqual(await told(2), ['Hearth VPN is away', 'Hearth VPN is linked again'])
  assert.equal((await view()).failing_since, null)
  assert.equal(await place.isUp(), 1)
})

test('a refused token and an old version are told with what to do, and the end of the link with nothing', async () => {
  await using vpn = await startFakeVpn()
  await using place = await openLinked(vpn)
  const { receiver, told, admin } = place
  vpn.onRequest = () => ({ status: 401, body: '{"message":"no"}' })
  assert.deepEqual(await told(1), ['Hearth VPN refuses the token'])
  assert.match(receiver.received[0]?.text ?? '', /has expired or was revoked.*Make a token .* under Profile/)
  vpn.onRequest = () => undefined
  await told(2)
  vpn.onRequest = () => ({ status: 404, body: '{"message":"no"}' })
  await told(3)
  const titles = ['Hearth VPN refuses the token', 'Hearth VPN is linked again', 'Hearth VPN is too old']
  assert.deepEqual(receiver.titles(), titles)
  assert.match(receiver.received[2]?.text ?? '', /too old to keep records for sites\. Update it\./)
  assert.equal((await admin.call('DELETE', '/api/vpn-link')).status, 200)
  await eventually(place.isUp, (isUp) => isUp === undefined, { seconds: 60 })
  assert.deepEqual(receiver.titles(), titles)
})
