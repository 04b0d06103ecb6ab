import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { test } from 'node:test'
import { eventually, freePort } from '@hearth/testing'
import { startService, type TestService } from './in-process.ts'

/** A question for the address of www.example. */
const question = Buffer.from('00070100000100000000000003777777076578616d706c650000010001', 'hex')

interface Notice {
  readonly code: string
  readonly severity: string
  readonly title: string
  readonly detail: string
  readonly advice: string
}

const noticesOf = async (service: TestService, path: string): Promise<Notice[]> => {
  const { body } = await service.call('GET', path)
  return body.data.health
}

const codesOf = (notices: readonly Notice[]) => notices.map(({ code }) => code)

test('health reports simulated tunnels and of a filter without names, with what to do, in both places', async () => {
  await using service = await startService()
  await eventually(
    () => noticesOf(service, '/api/dns/status'),
    (notices) => codesOf(notices).includes('no_names'),
    { what: 'a notice of the empty filter', seconds: 30 },
  )
  const notices = await noticesOf(service, '/api/dns/status')
  assert.deepEqual(codesOf(await noticesOf(service, '/api/metrics/dashboard')), codesOf(notices))
  assert.ok(codesOf(notices).includes('simulated'))
  for (const { title, detail, advice, severity } of notices) {
    assert.ok(title.length > 5 && detail.length > 5 && advice.length > 5)
    assert.match(severity, /^(critical|warning)$/)
  }
  await service.call('PUT', '/api/dns/settings', { blocking_enabled: false })
  assert.ok(!codesOf(await noticesOf(service, '/api/dns/status')).includes('no_names'))
})

test('health reports a refused list, and the message names OUTBOUND_ALLOW', async () => {
  await using service = await startService()
  const made = await service.call('POST', '/api/dns/blocklists', {
    name: 'At home',
    url: 'http://192.168.77.9/list.txt',
  })
  assert.equal(made.status, 201)
  const notices = await eventually(
    () => noticesOf(service, '/api/dns/status'),
    (found) => codesOf(found).includes('lists_not_updated'),
    { what: 'a notice of the refused list', seconds: 30 },
  )
  const notice = notices.find(({ code }) => code === 'lists_not_updated')
  assert.match(notice?.detail ?? '', /At home/)
  const lists = await service.call('GET', '/api/dns/blocklists')
  const refused = lists.body.data.find(({ name }: { name: string }) => name === 'At home')
  assert.equal(
    refused.last_error,
    '192.168.77.9 does not lead to a public address; add it to OUTBOUND_ALLOW to fetch from it',
  )
})

test('health says that no upstream answers, once names were queried in vain', async () => {
  const port = await freePort()
  await using service = await startService({
    DNS_UPSTREAMS: 'udp://127.0.0.1:9, udp://127.0.0.1:10',
    DNS_LISTEN: `127.0.0.1:${port}`,
  })
  const socket = createSocket('udp4')
  try {
    const notices = await eventually(
      async () => {
        socket.send(question, port, '127.0.0.1')
        return noticesOf(service, '/api/metrics/dashboard')
      },
      (found) => codesOf(found).includes('upstreams_failing'),
      { what: 'a notice of the upstreams', seconds: 60, everyMs: 250 },
    )
    const notice = notices.find(({ code }) => code === 'upstreams_failing')
    assert.equal(notice?.severity, 'critical')
    assert.match(notice?.detail ?? '', /127\.0\.0\.1:9/)
  } finally {
    socket.close()
  }
})
