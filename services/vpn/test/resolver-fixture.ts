import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomic } from '@hearth/runtime'
import { freePort, temporaryDirectory } from '@hearth/testing'
import {
  resolverFile,
  type Listener,
  type ResolverClient,
  type ResolverProfile,
  type ResolverRule,
  type ResolverSettings,
  type ResolverZone,
  type Upstream,
} from '../src/dns/resolver-files.ts'
import { parseUpstream } from '../src/dns/upstream/upstream-text.ts'

/** Settings under which everything is allowed and logged. */
export const plainSettings: ResolverSettings = {
  engine: 'auto',
  listeners: [],
  listenClient: 0,
  upstreams: [],
  blockingEnabled: true,
  pausedUntil: 0,
  blockMode: 'zero_ip',
  customIpv4: null,
  customIpv6: null,
  blockTtl: 10,
  cacheSize: 4096,
  cacheMinTtl: 0,
  cacheMaxTtl: 0,
  serveStale: false,
  prefetch: false,
  keepCache: false,
  dnssec: false,
  blockPrivateAnswers: false,
  privateAnswersAllowed: [],
  forwardedZones: [],
  dns64Prefix: null,
  peerNamesSuffix: null,
  clientRateLimit: 0,
  queryLog: 'all',
  anonymizeClients: false,
  logRetentionDays: 7,
  watched: { tunnels: true, blocked: true },
}

/** A directory a resolver can run by. */
export interface ResolverFixture extends AsyncDisposable {
  readonly directory: string
  /** Content of `settings.json`. */
  settings: ResolverSettings
  /** Writes some settings. */
  set(some: Partial<ResolverSettings>): Promise<void>
  write(file: 'clients', content: readonly ResolverClient[]): Promise<void>
  write(file: 'profiles', content: readonly ResolverProfile[]): Promise<void>
  write(file: 'rules', content: readonly ResolverRule[]): Promise<void>
  write(file: 'zones', content: readonly ResolverZone[]): Promise<void>
}

/** Makes the directory, with these settings. */
export async function resolverFixture(some: Partial<ResolverSettings>): Promise<ResolverFixture> {
  const temporary = await temporaryDirectory()
  const directory = join(temporary.path, 'dns')
  await mkdir(directory)
  const write = (file: 'settings' | 'clients' | 'profiles' | 'rules' | 'zones', content: unknown) =>
    writeFileAtomic(join(directory, resolverFile[file]), JSON.stringify(content))
  const fixture: ResolverFixture = {
    directory,
    settings: { ...plainSettings, ...some },
    async set(some) {
      fixture.settings = { ...fixture.settings, ...some }
      await write('settings', fixture.settings)
    },
    write,
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  }
  await fixture.set({})
  return fixture
}

/** A listener at a port of an address that is free for UDP and for TCP. */
export async function freeListener(address = '127.0.0.1', device: string | null = null): Promise<Listener> {
  return { address, port: await freePort(address), device }
}

/** A server at a port of 127.0.0.1 as an upstream. */
export const upstreamAt = (port: number, protocol: 'udp' | 'tcp' = 'udp'): Upstream =>
  parseUpstream(`${protocol}://127.0.0.1:${port}`)
