import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, temporaryDirectory } from '@hearth/testing'
import { ResolverSupervisor } from '../src/resolver/supervisor.ts'
import type {
  ResolverClient,
  ResolverList,
  ResolverProfile,
  ResolverRecord,
  ResolverRule,
  ResolverSettings,
  ResolverZone,
} from '../src/dns/resolver-files.ts'
import { ResolverInput, resolverSettings } from '../src/filtering/resolver-input.ts'
import { defaultDnsSettings } from '../src/filtering/schema.ts'
import { parseUpstream } from '../src/dns/upstream/upstream-text.ts'
import { ask, type TestQuery } from './dns-client.ts'

/** Configuration of a resolver. */
export interface ResolverContent {
  /** Texts by id; numbered in their order. */
  readonly lists?: Readonly<Record<string, string>>
  readonly clients?: readonly ResolverClient[]
  readonly profiles?: readonly ResolverProfile[]
  readonly rules?: readonly ResolverRule[]
  readonly records?: readonly ResolverRecord[]
  readonly zones?: readonly ResolverZone[]
  readonly settings?: Partial<ResolverSettings>
  /** Port of the server to forward to, on loopback. */
  readonly upstreamPort: number
}

/** A resolver process by itself, without the service around it, on a port of loopback. */
export interface ResolverFixture extends AsyncDisposable {
  readonly resolver: ResolverSupervisor
  readonly port: number
  readonly directory: string
  readonly input: ResolverInput
  writeLists(lists: Readonly<Record<string, string>>): Promise<void>
  /** Asks over UDP from an address of loopback, once; rejects when no answer comes within five seconds. */
  ask(name: string, source?: string): Promise<LiveAnswer>
}

/** An answer, as far as tests look at it. */
export interface LiveAnswer {
  readonly rcode: number
  /** Addresses of A records, in their order. */
  readonly addresses: readonly string[]
  /** It is a block's null address. */
  readonly isBlocked: boolean
}

export async function startResolverFixture(content: ResolverContent): Promise<ResolverFixture> {
  await using cleanup = new AsyncDisposableStack()
  const { path: directory } = cleanup.use(await temporaryDirectory('resolver'))
  await mkdir(join(directory, 'lists'), { recursive: true })
  const port = await freePort()
  const resolver = new ResolverSupervisor(directory)
  cleanup.defer(() => resolver.close())
  const input = new ResolverInput(directory, (file) =>
    file === 'lists' ? resolver.changedLists().then(() => undefined) : resolver.changed(file),
  )
  const writeLists = async (lists: Readonly<Record<string, string>>) => {
    const records: ResolverList[] = []
    for (const [number, [id, text]] of Object.entries(lists).entries()) {
      await writeFile(join(directory, 'lists', `${id}.txt`), text)
      records.push({ number, id, name: id, format: 'adblock', sha256: createHash('sha256').update(text).digest('hex') })
    }
    await input.write('lists', records)
  }
  const upstream = parseUpstream(`udp://127.0.0.1:${content.upstreamPort}`)
  const settings = resolverSettings({ ...defaultDnsSettings, pausedUntil: 0 }, [upstream], {
    watched: { tunnels: true, blocked: true },
    engine: 'auto',
    listeners: [{ address: '127.0.0.1', port, device: null }],
    listenClient: 0,
  })
  await input.write('settings', { ...settings, ...content.settings })
  await input.write('clients', content.clients ?? [])
  await input.write('profiles', content.profiles ?? [])
  await input.write('rules', content.rules ?? [])
  await input.write('records', content.records ?? [])
  await input.write('zones', content.zones ?? [])
  await writeLists(content.lists ?? {})
  const kept = cleanup.move()
  return {
    resolver,
    port,
    directory,
    input,
    writeLists,
    ask: (name, source = '127.0.0.1') => askOnce(port, { name, source, timeoutMs: 5000 }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Asks a server on loopback for an address, once; rejects when no answer comes in time. */
export const askAt = (port: number, name: string, timeoutMs = 2000): Promise<LiveAnswer> =>
  askOnce(port, { name, timeoutMs })

async function askOnce(port: number, asking: TestQuery): Promise<LiveAnswer> {
  const answer = await ask(port, { payload: 1232, ...asking })
  if (answer === undefined) throw new Error(`no answer for ${asking.name}`)
  const { rcode, addresses } = answer
  return { rcode, addresses, isBlocked: addresses.length === 1 && addresses[0] === '0.0.0.0' }
}
