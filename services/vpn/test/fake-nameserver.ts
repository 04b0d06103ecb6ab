import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { listenOnBoth } from './listen-on-both.ts'

/** Records of a name; names that are not listed have an own address, `nx.…` does not exist. */
export interface Zone {
  readonly [name: string]: {
    readonly cname?: string
    readonly a?: string
    readonly ttl?: number
    readonly large?: number
  }
}

/** A server that knows every name, over UDP and TCP on one port. */
export interface FakeNameserver extends AsyncDisposable {
  readonly port: number
  /** Number of queries for a name. */
  asked(name: string): number
  total(): number
}

const Type = { a: 1, cname: 5, soa: 6, txt: 16, aaaa: 28, opt: 41 } as const

/** Listens; `port` 0 picks one. Answers carry their question as it was asked, letter for letter. */
export async function startFakeNameserver(
  zone: Zone = {},
  fixture = { address: '127.0.0.1', port: 0 },
  addressFor: (name: string) => string = addressOf,
): Promise<FakeNameserver> {
  const counts = new Map<string, number>()
  let total = 0
  const answer = (query: Buffer, room: number) => {
    total += 1
    const { name } = questionOf(query)
    counts.set(name, (counts.get(name) ?? 0) + 1)
    return answerOf(query, { zone, addressFor }, room)
  }
  const { socket, server, port } = await listenOnBoth(
    {
      server: () => createServer((connection) => serveStream(connection, answer)),
      socket() {
        const udp = createSocket(fixture.address.includes(':') ? 'udp6' : 'udp4')
        udp.on('message', (query, from) => udp.send(answer(query, udpRoom(query)), from.port, from.address))
        return udp
      },
    },
    fixture,
  )
  return {
    port,
    asked: (name) => counts.get(name.toLowerCase()) ?? 0,
    total: () => total,
    async [Symbol.asyncDispose]() {
      socket.close()
      server.close()
      await once(server, 'close')
    },
  }
}

function serveStream(socket: Socket, answer: (query: Buffer, room: number) => Buffer): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      const size = rest.readUInt16BE(0)
      const reply = answer(rest.subarray(2, 2 + size), 65_535)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(reply.length)
      socket.write(Buffer.concat([length, reply]))
      rest = rest.subarray(2 + size)
    }
  })
  socket.setTimeout(10_000, () => socket.destroy())
}

interface Question {
  readonly name: string
  readonly type: number
  /** Offset at which the question ends. */
  readonly end: number
}

function questionOf(query: Buffer): Question {
  const labels: string[] = []
  let at = 12
  for (let length: number = query[at] ?? 0; length !== 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** Maximum UDP answer of the client: its EDNS size, or 512. */
function udpRoom(query: Buffer): number {
  const { end } = questionOf(query)
  const hasOpt = query.readUInt16BE(10) > 0 && query.length >= end + 11 && query.readUInt16BE(end + 1) === Type.opt
  return hasOpt ? Math.max(512, query.readUInt16BE(end + 3)) : 512
}

/** Records of names, and the address of a name that is not among them. */
interface Content {
  readonly zone: Zone
  readonly addressFor: (name: string) => string
}

function answerOf(query: Buffer, content: Content, room: number): Buffer {
  const { zone } = content
  const question = questionOf(query)
  const records: Buffer[] = []
  let { name } = question
  for (let target = zone[name]?.cname; target !== undefined; target = zone[name]?.cname) {
    records.push(record(name, Type.cname, zone[name]?.ttl ?? 300, wireName(target)))
    name = target
  }
  const isMissing = name.startsWith('nx.')
  if (!isMissing) records.push(...dataOf(name, question.type, content))
  const authority = isMissing || records.length === 0 ? [soa()] : []
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180 | (isMissing ? 3 : 0) | (header.readUInt16BE(2) & 0x0100), 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt16BE(authority.length, 8)
  header.writeUInt16BE(0, 10)
  const whole = Buffer.concat([header, query.subarray(12, question.end), ...records, ...authority])
  if (whole.length <= room) return whole
  const cut = Buffer.concat([header, query.subarray(12, question.end)])
  cut.writeUInt16BE(cut.readUInt16BE(2) | 0x0200, 2)
  cut.writeUInt16BE(0, 6)
  cut.writeUInt16BE(0, 8)
  return cut
}

function dataOf(name: string, type: number, { zone, addressFor }: Content): Buffer[] {
  const ttl = zone[name]?.ttl ?? 300
  if (type === Type.a)
    return [record(name, Type.a, ttl, Buffer.from((zone[name]?.a ?? addressFor(name)).split('.').map(Number)))]
  if (type === Type.aaaa) return [record(name, Type.aaaa, ttl, Buffer.from(`20010db8${'00'.repeat(11)}01`, 'hex'))]
  if (type !== Type.txt) return []
  const text = Buffer.concat([Buffer.from([200]), Buffer.alloc(200, 'x')])
  return Array.from({ length: zone[name]?.large ?? 1 }, () => record(name, Type.txt, ttl, text))
}

/** An address that follows from the name. */
export function addressOf(name: string): string {
  let hash = 7
  for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0
  return `185.199.${hash % 256}.${1 + (hash % 250)}`
}

function record(name: string, type: number, ttl: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt32BE(ttl, 4)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([wireName(name), head, data])
}

function wireName(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ])
}

function soa(): Buffer {
  const numbers = Buffer.alloc(20)
  numbers.writeUInt32BE(60, 16)
  return record('test', Type.soa, 60, Buffer.concat([wireName('ns.test'), wireName('admin.test'), numbers]))
}

if (import.meta.main) {
  const [address = '127.0.0.1', port = '53', zone = '{}'] = process.argv.slice(2)
  await startFakeNameserver(JSON.parse(zone) as Zone, { address, port: Number(port) })
  process.stdout.write('ready\n')
}
