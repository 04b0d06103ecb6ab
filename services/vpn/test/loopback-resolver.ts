import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { temporaryDirectory } from '@hearth/testing'
import { RunningResolver } from '../src/dns/process/running-resolver.ts'
import type { ResolverClient, ResolverList, ResolverRule, ResolverSettings } from '../src/dns/process/resolver-files.ts'
import { createResolverInput, resolverSettings, type ResolverInput } from '../src/dns/resolver-input.ts'
import { defaultDnsSettings } from '../src/dns/schema.ts'
import { parseUpstream } from '../src/dns/upstream/upstream-text.ts'
import { freeListener } from './resolver-place.ts'

/** What a resolver is to go by. */
export interface ResolverContent {
  /** Texts by id; numbered in their order. */
  readonly lists?: Readonly<Record<string, string>>
  readonly clients?: readonly ResolverClient[]
  readonly rules?: readonly ResolverRule[]
  readonly settings?: Partial<ResolverSettings>
  /** Port of the server to forward to, on loopback. */
  readonly upstreamPort: number
}

/** A resolver process by itself, without the service around it, on a port of loopback. */
export interface ResolverPlace extends AsyncDisposable {
  readonly resolver: RunningResolver
  readonly port: number
  readonly directory: string
  readonly input: ResolverInput
  writeLists(lists: Readonly<Record<string, string>>): Promise<void>
  /** Asks over UDP from an address of loopback, once; rejects when no answer comes within two seconds. */
  ask(name: string, from?: string, type?: number): Promise<LiveAnswer>
}

/** An answer, as far as tests look at it. */
export interface LiveAnswer {
  readonly rcode: number
  /** Addresses of A records, in their order. */
  readonly addresses: readonly string[]
  /** It is a block's null address, or has no data. */
  readonly isBlocked: boolean
}

export async function startResolverPlace(content: ResolverContent): Promise<ResolverPlace> {
  await using cleanup = new AsyncDisposableStack()
  const { path: directory } = cleanup.use(await temporaryDirectory('resolver'))
  await mkdir(join(directory, 'lists'), { recursive: true })
  const port = await freePort()
  const resolver = new RunningResolver(directory)
  cleanup.defer(() => resolver.close())
  const input = createResolverInput(directory, (file) =>
    file === 'lists' ? resolver.changedLists().then(() => undefined) : resolver.changed(file),
  )
  const writeLists = async (lists: Readonly<Record<string, string>>) => {
    const records: ResolverList[] = []
    for (const [number, [id, text]] of Object.entries(lists).entries()) {
      await writeFile(join(directory, 'lists', `${id}.txt`), text)
      records.push({ number, id, name: id, format: 'adblock', sha256: createHash('sha256').update(text).digest('hex') })
    }
    await input.writeLists(records)
  }
  const upstream = parseUpstream(`udp://127.0.0.1:${content.upstreamPort}`)
  const settings = resolverSettings({ ...defaultDnsSettings, pausedUntil: 0 }, [upstream], {
    engine: 'auto',
    listeners: [{ address: '127.0.0.1', port, device: null }],
    listenClient: 0,
  })
  await input.writeSettings({ ...settings, ...content.settings })
  await input.writeClients(content.clients ?? [])
  await input.writeRules(content.rules ?? [])
  await writeLists(content.lists ?? {})
  const kept = cleanup.move()
  return {
    resolver,
    port,
    directory,
    input,
    writeLists,
    ask: (name, from = '127.0.0.1', type = 1) => ask(port, { name, from, type, timeoutMs: 2000 }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** A port of loopback nobody has. */
export async function freePort(): Promise<number> {
  return (await freeListener()).port
}

/** Asks a server on loopback for an address, once; rejects when no answer comes in time. */
export const askAt = (port: number, name: string, timeoutMs = 2000): Promise<LiveAnswer> =>
  ask(port, { name, from: '127.0.0.1', type: 1, timeoutMs })

async function ask(
  port: number,
  question: { name: string; from: string; type: number; timeoutMs: number },
): Promise<LiveAnswer> {
  const socket = createSocket('udp4')
  try {
    socket.bind(0, question.from)
    await once(socket, 'listening')
    socket.send(encodeQuestion(question.name, question.type), port, '127.0.0.1')
    const [message] = (await once(socket, 'message', { signal: AbortSignal.timeout(question.timeoutMs) })) as [Buffer]
    return answerOf(message)
  } finally {
    socket.close()
  }
}

/** A question with EDNS, id 0x1234. */
export function encodeQuestion(name: string, type: number): Buffer {
  const head = Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1])
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  const tail = Buffer.from([0, type >> 8, type & 255, 0, 1, 0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([head, ...labels, tail])
}

function answerOf(message: Buffer): LiveAnswer {
  let at = 12
  while (message[at] !== 0) at += (message[at] ?? 0) + 1
  at += 5
  const addresses: string[] = []
  for (let n = 0; n < message.readUInt16BE(6); n++) {
    while (message[at] !== 0 && (message[at] ?? 0) < 192) at += (message[at] ?? 0) + 1
    at += message[at] === 0 ? 1 : 2
    const [type, size] = [message.readUInt16BE(at), message.readUInt16BE(at + 8)]
    if (type === 1) addresses.push([...message.subarray(at + 10, at + 14)].join('.'))
    at += 10 + size
  }
  const isNull = addresses.length === 1 && addresses[0] === '0.0.0.0'
  return { rcode: (message[3] ?? 0) & 15, addresses, isBlocked: isNull }
}
