import { profileClient } from '../../dns/policy/profile-table.ts'
import type { ResolverClient, ResolverSettings } from '../../dns/resolver-files.ts'
import type { ResolverFiles } from '../../resolver/stored-files.ts'
import type { CutName } from './manifest.ts'

/** An interface whose peers the resolver of a node answers. */
export interface ServedInterface {
  readonly name: string
  /** Addresses of the node in its tunnel, the IPv4 address first. */
  readonly gateways: readonly string[]
}

/** Files of the resolver of the service, from which those of nodes are cut. */
export type HomeFiles = Omit<ResolverFiles, 'private' | 'names' | 'clients'> & {
  /** All peers that may query somewhere. */
  readonly clients: Iterable<ResolverClient>
}

/** The files of one node, each as its content. */
export type CutFiles = { readonly [Name in CutName]: ResolverFiles[Name] }

/**
 * Cuts the files of a node from those of the service: peers of its interfaces only, with the rules, profiles and records that hold
 * for them. So each of them gets the same decisions as it would from all files.
 */
export function cutFiles(
  home: HomeFiles,
  interfaces: readonly ServedInterface[],
  { logs }: { readonly logs: boolean },
): CutFiles {
  const gateways = new Set(interfaces.map(({ gateways: [first] }) => first))
  const all = [...home.clients]
  const clients = all.filter(({ gateway }) => gateways.has(gateway))
  const numbers = new Set(clients.map(({ number }) => number))
  const used = new Set(clients.map(({ profile }) => profile ?? 0))
  const profiles = home.profiles.filter(({ number }) => used.has(number))
  const holding = new Set([0, ...profiles.map(({ holds }) => profileClient(holds))])
  return {
    settings: settingsOf(home.settings, interfaces, logs),
    clients,
    names: home.settings.peerNamesSuffix === null ? [] : namesOf(all, numbers),
    profiles,
    rules: kept(home.rules, ({ client }) => holding.has(client) || numbers.has(client)),
    lists: home.lists,
    records: kept(home.records, ({ gateway }) => gateway === undefined || gateways.has(gateway)),
    zones: home.zones,
  }
}

/** The list itself when all of it is kept: nodes then share it, and its hash. */
function kept<T>(all: readonly T[], isKept: (one: T) => boolean): readonly T[] {
  return all.every(isKept) ? all : all.filter(isKept)
}

/** Peers elsewhere are found by their names, as on one host; nothing else is said of them. */
const namesOf = (clients: readonly ResolverClient[], own: ReadonlySet<number>): ResolverFiles['names'] =>
  clients.flatMap(({ number, label, addresses }) =>
    typeof label === 'string' && !own.has(number) ? [{ label, addresses }] : [],
  )

/** The engine is the choice of a host. What queries show is looked for where their log is. */
function settingsOf(
  settings: ResolverSettings,
  interfaces: readonly ServedInterface[],
  logs: boolean,
): ResolverSettings {
  return {
    ...settings,
    engine: 'auto',
    listeners: interfaces.flatMap(({ name, gateways }) =>
      gateways.map((address) => ({ address, port: 53, device: name })),
    ),
    listenClient: 0,
    queryLog: logs && settings.logRetentionDays > 0 ? settings.queryLog : 'none',
    watched: { tunnels: false, blocked: false },
  }
}
