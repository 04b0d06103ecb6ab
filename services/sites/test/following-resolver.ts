import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { Resolver } from 'node:dns/promises'
import { loopbackAddress } from './name-server.ts'

const txt = 16

/**
 * A resolver on port 53 of a loopback address that answers questions for TXT records as a recursive one does: with those at the
 * end of the aliases. An authoritative server follows aliases within one zone only.
 */
export async function startFollowingResolver(
  nameServer: string,
): Promise<AsyncDisposable & { readonly address: string }> {
  const address = loopbackAddress()
  const resolver = new Resolver({ timeout: 2000, tries: 1 })
  resolver.setServers([nameServer])
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    void answerTo(query, resolver).then((answer) => socket.send(answer, from.port, from.address))
  })
  socket.bind(53, address)
  await once(socket, 'listening')
  return {
    address,
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

async function answerTo(query: Buffer, resolver: Resolver): Promise<Buffer> {
  const { name, end } = readName(query)
  const isForTxt = query.readUInt16BE(end) === txt
  const values = isForTxt ? (await valuesOf(name, resolver)).flat() : []
  const head = Buffer.from(query.subarray(0, 12))
  // An answer, recursion available, no error; one question, no authority, nothing additional.
  head.writeUInt16BE(0x8180, 2)
  for (const [index, count] of [1, values.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * index)
  return Buffer.concat([head, query.subarray(12, end + 4), ...values.map(encodeTxt)])
}

async function valuesOf(name: string, resolver: Resolver): Promise<string[][]> {
  const alias = await resolver.resolveCname(name).catch(() => [])
  if (alias[0] !== undefined) return valuesOf(alias[0], resolver)
  return resolver.resolveTxt(name).catch(() => [])
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString('latin1'))
    at += length + 1
  }
  return { name: labels.join('.'), end: at + 1 }
}

/** The record of the name in the question, for a minute. */
function encodeTxt(value: string): Buffer {
  const head = Buffer.from([0xc0, 0x0c, 0, txt, 0, 1, 0, 0, 0, 60, 0, value.length + 1, value.length])
  return Buffer.concat([head, Buffer.from(value, 'latin1')])
}
