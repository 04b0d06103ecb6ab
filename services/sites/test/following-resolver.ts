import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { Resolver } from 'node:dns/promises'
import { loopbackAddress } from './name-server.ts'

const txt = 16

/** A resolver that follows aliases, as a recursive one does. */
export interface FollowingResolver extends AsyncDisposable {
  readonly address: string
  /** Questions for TXT records that it passed on, with the server that was asked. */
  readonly asked: readonly { readonly name: string; readonly server: string }[]
}

/**
 * Starts a resolver on port 53 of a loopback address. It answers questions for TXT records with those at the end of the aliases
 * (an authoritative server follows them within one zone only), and passes all others on.
 *
 * @param delegated servers of further zones, by the name of the zone
 */
export async function startFollowingResolver(
  nameServer: string,
  delegated: Readonly<Record<string, string>> = {},
): Promise<FollowingResolver> {
  const address = loopbackAddress()
  const asked: { name: string; server: string }[] = []
  const serverOf = (name: string) =>
    Object.entries(delegated).find(([zone]) => name === zone || name.endsWith(`.${zone}`))?.[1] ?? nameServer
  const valuesOf = async (name: string): Promise<string[][]> => {
    const resolver = new Resolver({ timeout: 2000, tries: 1 })
    resolver.setServers([serverOf(name)])
    const alias = await resolver.resolveCname(name).catch(() => [])
    if (alias[0] !== undefined) return valuesOf(alias[0])
    asked.push({ name, server: serverOf(name) })
    return resolver.resolveTxt(name).catch(() => [])
  }
  const answerTo = async (query: Buffer): Promise<Buffer> => {
    const { name, end } = readName(query)
    if (query.readUInt16BE(end) !== txt) return passOn(query, serverOf(name))
    return txtAnswer(query, end, (await valuesOf(name)).flat())
  }
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    // Without an answer, whoever asked asks again.
    void answerTo(query).then(
      (answer) => socket.send(answer, from.port, from.address),
      () => undefined,
    )
  })
  socket.bind(53, address)
  await once(socket, 'listening')
  return {
    address,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

async function passOn(query: Buffer, server: string): Promise<Buffer> {
  const socket = createSocket('udp4')
  try {
    const answered = once(socket, 'message', { signal: AbortSignal.timeout(2000) })
    socket.send(query, 53, server)
    const [answer] = (await answered) as [Buffer]
    return answer
  } finally {
    socket.close()
  }
}

function txtAnswer(query: Buffer, end: number, values: readonly string[]): Buffer {
  const head = Buffer.from(query.subarray(0, 12))
  // An answer, recursion available, no error; one question, no authority, nothing additional.
  head.writeUInt16BE(0x8180, 2)
  for (const [index, count] of [1, values.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * index)
  return Buffer.concat([head, query.subarray(12, end + 4), ...values.map(encodeTxt)])
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
