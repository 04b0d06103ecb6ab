import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../../../test/dns-client.ts'
import { addressRecord, makeAnswer } from '../../../test/dns-packets.ts'
import { startUpstream } from '../../../test/dns-upstream.ts'
import { freeListener, resolverPlace, upstreamAt } from '../../../test/resolver-place.ts'
import { superviseResolver } from './supervisor.ts'

test('thin', async () => {
  await using upstream = await startUpstream((query) => makeAnswer(query, [addressRecord('192.0.2.1')]))
  const listener = await freeListener()
  await using place = await resolverPlace({ listeners: [listener], upstreams: [upstreamAt(upstream.port)] })
  const supervisor = superviseResolver({ directory: place.directory, warn: console.log })
  try {
    await supervisor.ready()
    console.log(supervisor.state())
    console.log(await ask(listener.port, { name: 'www.example.com' }))
    console.log(await ask(listener.port, { name: 'www.example.com' }))
    console.log(upstream.seen, supervisor.state())
  } finally {
    await supervisor.close()
  }
})
