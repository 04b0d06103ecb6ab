import { freePort } from '@hearth/testing'
import { exchangeAgain } from './dns-client.ts'
import { decodeMessage, T } from './dns-messages.ts'
import { makeQuery } from './dns-packets.ts'
import { startFakeNameserver } from './fake-nameserver.ts'
import { startService } from './in-process.ts'

/** Starts a service that answers on a port of loopback, and the nameserver it asks, which knows these names. */
export async function startAnsweringService(names?: Parameters<typeof startFakeNameserver>[0]) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await startFakeNameserver(names))
  const port = await freePort()
  const service = cleanup.use(
    await startService({ DNS_LISTEN: `127.0.0.1:${port}`, DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}` }),
  )
  const ask = async (name: string, type: number = T.a) =>
    decodeMessage(await exchangeAgain(port, makeQuery(name, type, 1232)))
  await ask('ready.example')
  const kept = cleanup.move()
  return { service, upstream, ask, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
