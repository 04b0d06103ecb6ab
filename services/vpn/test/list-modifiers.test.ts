import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { eventually, freePort } from '@hearth/testing'
import { ask } from './dns-client.ts'
import { addressOf, startFakeNameserver } from './fake-nameserver.ts'
import { startService, type TestService } from './in-process.ts'

/** A server of lists: each path has the text given for it now. */
async function startListServer(texts: Record<string, string>) {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/plain')
    response.end(texts[(request.url ?? '/').slice(1)] ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (name: string) => `http://127.0.0.1:${port}/${name}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Adds a list and waits until it was fetched or refused. */
async function addList(service: TestService, name: string, url: string) {
  assert.equal((await service.call('POST', '/api/dns/blocklists', { name, url })).status, 201)
  return eventually(
    async () => {
      const { body } = await service.call('GET', '/api/dns/blocklists')
      return body.data.find((list: { name: string }) => list.name === name)
    },
    (list) => list.last_checked !== null,
    { what: `the list ${name}`, seconds: 30 },
  )
}

test('modifiers and addresses apply live, and the log and the explanation name them', async () => {
  const listed = addressOf('elsewhere.example')
  await using upstream = await startFakeNameserver()
  await using lists = await startListServer({
    modifiers: [
      '||types.example^$dnstype=A',
      '||deny.example^$denyallow=good.deny.example',
      '||nas.example^$dnsrewrite=192.0.2.7',
      '||nas.example^$dnsrewrite=192.0.2.8',
      '||gone.example^$dnsrewrite=NXDOMAIN',
      `||${listed}^`,
    ].join('\n'),
  })
  const port = await freePort()
  await using service = await startService({
    DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}`,
    DNS_LISTEN: `127.0.0.1:${port}`,
    OUTBOUND_ALLOW: '127.0.0.1',
  })
  await addList(service, 'Modifiers', lists.url('modifiers'))
  const answer = async (name: string) => {
    const { rcode, addresses } = (await ask(port, { name }))!
    return [rcode, ...addresses].join(' ')
  }
  await eventually(
    () => answer('types.example'),
    (text) => text === '0 0.0.0.0',
    { what: 'the list in force', seconds: 30 },
  )
  assert.equal(await answer('x.deny.example'), '0 0.0.0.0')
  assert.equal(await answer('good.deny.example'), `0 ${addressOf('good.deny.example')}`)
  assert.equal(await answer('nas.example'), '0 192.0.2.7 192.0.2.8')
  assert.equal(await answer('gone.example'), '3')
  assert.equal(await answer('elsewhere.example'), '0 0.0.0.0')

  const logged = await eventually(
    async () => {
      const { body } = await service.call('GET', '/api/dns/queries?limit=100')
      return new Map<string, string>(
        // The newest comes first, and the last of a name counts in a map.
        body.data
          .toReversed()
          .map((query: { domain: string; status: string; reason: string; list: string; modifiers: string[] }) => [
            query.domain,
            [query.status, query.reason, query.list, ...query.modifiers].join(' '),
          ]),
      )
    },
    (queries) => queries.has('elsewhere.example'),
    { what: 'the log', seconds: 30 },
  )
  assert.equal(logged.get('types.example'), 'blocked list Modifiers dnstype')
  assert.equal(logged.get('x.deny.example'), 'blocked list Modifiers denyallow')
  assert.equal(logged.get('nas.example'), 'allowed list Modifiers dnsrewrite')
  assert.equal(logged.get('gone.example'), 'blocked list Modifiers dnsrewrite')
  assert.equal(logged.get('elsewhere.example'), 'blocked address Modifiers')

  const explained = async (query: string) => {
    const { body } = await service.call('GET', `/api/dns/explain?${query}`)
    const deciding = body.data.matches.find((match: { deciding: boolean }) => match.deciding)
    return [body.data.status, body.data.reason, deciding?.text, ...(deciding?.modifiers ?? [])].join(' ')
  }
  assert.equal(await explained('domain=types.example'), 'blocked list ||types.example^$dnstype=A dnstype')
  assert.equal((await explained('domain=types.example&type=AAAA')).slice(0, 12), 'allowed none')
  assert.equal(await explained('domain=elsewhere.example'), `blocked address ||${listed}^`)
  assert.equal(await explained('domain=gone.example'), 'blocked list ||gone.example^$dnsrewrite=NXDOMAIN dnsrewrite')
})

test('a list that only disables rules is accepted and applied', async () => {
  await using upstream = await startFakeNameserver()
  await using lists = await startListServer({
    blocks: '||one.example^\n||two.example^\n',
    takes: '! mine\n||one.example^$badfilter\n',
  })
  const port = await freePort()
  await using service = await startService({
    DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}`,
    DNS_LISTEN: `127.0.0.1:${port}`,
    OUTBOUND_ALLOW: '127.0.0.1',
  })
  await addList(service, 'Blocks', lists.url('blocks'))
  const takes = await addList(service, 'Takes', lists.url('takes'))
  assert.deepEqual([takes.last_error, takes.entries], [null, 0])
  const answers = async () => {
    const addresses = async (name: string) => (await ask(port, { name }))?.addresses[0]
    return [await addresses('one.example'), await addresses('two.example')].join(' ')
  }
  await eventually(answers, (both) => both === `${addressOf('one.example')} 0.0.0.0`, {
    what: 'one name that is blocked no longer, beside one that is',
    seconds: 30,
  })
})

test('a list without usable lines says which lines these were and why', async () => {
  await using lists = await startListServer({
    cosmetic: '! title\n##.banner\nshop.example##.ad\n||a.example^$third-party\n',
  })
  await using service = await startService({ OUTBOUND_ALLOW: '127.0.0.1' })
  const list = await addList(service, 'Cosmetic', lists.url('cosmetic'))
  assert.match(
    list.last_error,
    /^it holds no names; 3 lines of no use: 2 × cosmetic, 1 × modifier third-party\. For example line 2 “##\.banner” \(cosmetic\)/,
  )
  assert.equal(list.unsupported, 3)
  assert.deepEqual(list.unsupported_reasons, { cosmetic: 2, 'modifier third-party': 1 })
  assert.deepEqual(list.unsupported_examples[2], {
    line: 4,
    text: '||a.example^$third-party',
    reason: 'modifier third-party',
  })
})
