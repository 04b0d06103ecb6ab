import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { createRelay, type RelayOptions } from '../dns/upstream/relay.ts'
import { parseUpstream } from '../dns/upstream/upstream-text.ts'
import { queryFor } from './packets.ts'
import type { Upstream } from '../dns/resolver-files.ts'

const answerMs = 5000
const nameServers = 2
const startOfAuthority = 6
const noSuchName = 3

/**
 * Queries an upstream, given as operators write it, for the root's name servers, as every resolver can answer, or for the SOA
 * record of a zone, where any answer of a server that does not refuse will do. The milliseconds it
 * took, with what connecting takes. Throws with the reason in words.
 */
export async function testUpstream(
  text: string,
  options: RelayOptions & { zone?: string | undefined } = {},
): Promise<number> {
  const upstream = parseUpstream(text)
  const { zone } = options
  const query = zone === undefined ? queryFor('.', nameServers) : queryFor(zone, startOfAuthority)
  if (query === undefined) throw new Error('this is no domain name')
  const since = performance.now()
  const answer =
    upstream.protocol === 'udp' ? await queryByUdp(upstream, query) : await queryByStream(upstream, query, options)
  const rcode = answer[3]! & 15
  if (answer.length < 12 || (answer[2]! & 0x80) === 0) throw new Error('this is no DNS server')
  if (rcode !== 0 && !(zone !== undefined && rcode === noSuchName))
    throw new Error(`the server refuses to answer (code ${rcode})`)
  return Math.round((performance.now() - since) * 10) / 10
}

async function queryByStream(upstream: Upstream, query: Uint8Array, options: RelayOptions): Promise<Uint8Array> {
  const relay = await createRelay(upstream, options)
  try {
    return await relay.query(query, answerMs)
  } finally {
    relay.close()
  }
}

function queryByUdp({ address = '', port }: Upstream, query: Uint8Array): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  const timer = setTimeout(() => reject(new Error('no answer in time')), answerMs)
  socket.on('error', reject)
  socket.on('message', (answer) => {
    if (answer[0] === query[0] && answer[1] === query[1]) resolve(answer)
  })
  socket.on('connect', () => socket.send(query))
  socket.connect(port, address)
  return promise.finally(() => {
    clearTimeout(timer)
    socket.close()
  })
}
