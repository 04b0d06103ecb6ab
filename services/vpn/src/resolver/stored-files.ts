import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  resolverFile,
  type ResolverClient,
  type ResolverList,
  type ResolverName,
  type ResolverPrivateDns,
  type ResolverProfile,
  type ResolverRecord,
  type ResolverRule,
  type ResolverSettings,
  type ResolverZone,
} from '../dns/resolver-files.ts'

/** Files that the resolver works from. */
export interface ResolverFiles {
  readonly settings: ResolverSettings
  readonly clients: readonly ResolverClient[]
  readonly names: readonly ResolverName[]
  readonly profiles: readonly ResolverProfile[]
  readonly rules: readonly ResolverRule[]
  readonly lists: readonly ResolverList[]
  readonly records: readonly ResolverRecord[]
  readonly zones: readonly ResolverZone[]
  readonly private: ResolverPrivateDns
}

/** Settings without a file: the resolver listens nowhere. */
const noSettings: ResolverSettings = {
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
  cacheSize: 16_384,
  cacheMinTtl: 0,
  cacheMaxTtl: 0,
  serveStale: false,
  prefetch: false,
  keepCache: true,
  dnssec: false,
  blockPrivateAnswers: true,
  privateAnswersAllowed: [],
  forwardedZones: [],
  dns64Prefix: null,
  peerNamesSuffix: null,
  clientRateLimit: 0,
  queryLog: 'none',
  anonymizeClients: false,
  logRetentionDays: 7,
  watched: { tunnels: false, blocked: false },
}

const noPrivateDns: ResolverPrivateDns = {
  name: null,
  tls: [],
  https: [],
  http: [],
  certificate: '',
  key: '',
  clients: [],
}

const absent: ResolverFiles = {
  settings: noSettings,
  clients: [],
  names: [],
  profiles: [],
  rules: [],
  lists: [],
  records: [],
  zones: [],
  private: noPrivateDns,
}

/** Reads one of the files; what a missing one stands for when it is not there. Throws when it cannot be read or is no JSON. */
export async function readResolverFile<Name extends keyof ResolverFiles>(
  directory: string,
  name: Name,
): Promise<ResolverFiles[Name]> {
  const text = await readFile(join(directory, resolverFile[name]), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return absent[name]
  const content = JSON.parse(text) as ResolverFiles[Name]
  // A file of an older version lacks what is new.
  return name === 'settings' ? Object.assign({}, absent[name], content) : content
}

/** Reads all files. One that cannot be read counts as missing, with a call of `warn`. */
export async function readResolverFiles(directory: string, warn: (message: string) => void): Promise<ResolverFiles> {
  async function read<Name extends keyof ResolverFiles>(name: Name): Promise<ResolverFiles[Name]> {
    try {
      return await readResolverFile(directory, name)
    } catch (error) {
      warn(`${resolverFile[name]}: ${(error as Error).message}`)
      return absent[name]
    }
  }
  const [settings, clients, names, profiles, rules, lists, records, zones, privateDns] = await Promise.all([
    read('settings'),
    read('clients'),
    read('names'),
    read('profiles'),
    read('rules'),
    read('lists'),
    read('records'),
    read('zones'),
    read('private'),
  ])
  return { settings, clients, names, profiles, rules, lists, records, zones, private: privateDns }
}
