import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, freePort, startServiceProcess } from '@hearth/testing'
import { startService, testPassword } from './in-process.ts'

/** A state is current for ten seconds, and media answers 30 times a minute. */
const often = (what: string) => ({ what, seconds: 60, everyMs: 2500 })

test('two services of one installation list each other, and a service alone lists none', async () => {
  const vpnUrl = `http://127.0.0.1:${await freePort()}`
  await using media = await startServiceProcess('media', { HEARTH_SERVICES: `vpn=${vpnUrl},media=http://127.0.0.1:1` })
  await using vpn = await startService({ HEARTH_SERVICES: `media=${media.url}` })
  const browser = await vpn.signIn('admin', testPassword)
  const listed = async () => (await browser.send('GET', '/api/neighbours')).body.data.services
  const fromMedia = async () => (await (await fetch(`${media.url}/api/neighbours`)).json()) as { services: unknown[] }
  assert.deepEqual(await fromMedia(), { services: [] })
  const expected = [{ service: 'media', state: 'running', address: media.url, portal: null }]
  assert.deepEqual(await eventually(listed, (list) => list.length > 0, often('media')), expected)
  const { port } = new URL(vpnUrl)
  await vpn.service.app.http.listen({ host: '127.0.0.1', port: Number(port) })
  const { services } = await eventually(fromMedia, (list) => list.services.length > 0, often('vpn'))
  assert.deepEqual(services, [{ service: 'vpn', state: 'running', address: vpnUrl, portal: null }])
  await media.stop()
  await eventually(listed, (list) => list.length === 0, often('no media'))
})

test('only somebody who is signed in reads the other services', async () => {
  await using vpn = await startService()
  assert.equal((await vpn.send('GET', '/api/neighbours')).status, 401)
  assert.equal((await vpn.call('GET', '/api/neighbours')).status, 403)
})
