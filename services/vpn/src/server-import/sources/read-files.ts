import { FileProblem, type GivenFile } from '../../foreign-files/given-file.ts'
import type { FoundPeer, FoundServer, FoundServers } from '../found-server.ts'
import { ForeignStore, isDatabaseFile } from '../../foreign-files/foreign-store.ts'
import { type DashboardPeers, isDashboardDatabase, readDashboardDatabase } from './wgdashboard.ts'
import { isWgEasyDatabase, readWgEasyDatabase } from './wg-easy-database.ts'
import { readWgEasyFile } from './wg-easy-file.ts'
import { type DeviceFile, readConfigurationFile } from './wg-quick.ts'

/** Everything that a set of files says, before the parts are put together. */
interface Parts {
  readonly found: FoundServers[]
  readonly devices: DeviceFile[]
  readonly dashboards: { readonly file: string; readonly known: readonly DashboardPeers[] }[]
}

/**
 * Reads the files of another program: which one it was is seen by what they hold. Files that say the same twice, such as wg-easy's
 * `wg0.conf` beside its `wg0.json`, are read once. Throws a `FileProblem` for a file that cannot be used.
 */
export function readFiles(files: readonly GivenFile[]): FoundServers {
  const parts: Parts = { found: [], devices: [], dashboards: [] }
  for (const file of files) readOne(file, parts)
  const found = withoutTwins(parts.found)
  const servers = found.flatMap(({ servers: own }) => own)
  for (const { file, known } of parts.dashboards) refuseServerless(file, known, servers)
  const known = parts.dashboards.flatMap((dashboard) => dashboard.known)
  const completed = servers.map((server) => {
    const own = known.find((each) => each.interface === server.name)
    return withDevices(own === undefined ? server : withDashboard(server, own), parts.devices)
  })
  const keys = new Set(completed.flatMap((server) => server.peers.map(({ publicKey }) => publicKey)))
  const strays = parts.devices.filter(({ publicKey }) => !keys.has(publicKey))
  return {
    servers: completed,
    leftOut: [
      ...found.flatMap(({ leftOut }) => leftOut),
      ...strays.map(({ name }) => ({ about: name, reason: 'is the file of a device that no server here knows' })),
    ],
  }
}

function readOne(file: GivenFile, parts: Parts): void {
  if (isDatabaseFile(file)) return readDatabase(file, parts)
  if (/^\s*\{/.test(file.content.subarray(0, 64).toString('latin1'))) {
    parts.found.push(readWgEasyFile(file))
    return
  }
  const read = readConfigurationFile(file)
  if (read.kind === 'device') parts.devices.push(read.device)
  else parts.found.push({ servers: [read.server], leftOut: read.leftOut })
}

function readDatabase(file: GivenFile, { found, dashboards }: Parts): void {
  using store = new ForeignStore(file)
  if (isWgEasyDatabase(store)) found.push(readWgEasyDatabase(file.name, store))
  else if (isDashboardDatabase(store)) dashboards.push({ file: file.name, known: readDashboardDatabase(store) })
  else throw new FileProblem(file.name, 'is a database of neither wg-easy 15 nor WGDashboard')
}

function refuseServerless(file: string, known: readonly DashboardPeers[], servers: readonly FoundServer[]): void {
  const missing = known.find((each) => !servers.some((server) => server.name === each.interface))
  if (missing !== undefined)
    throw new FileProblem(file, `needs ${missing.interface}.conf beside it, which holds the server’s key`)
}

/** A server in several files is that of the file that says most: the one of the program, not the one it writes for `wg-quick`. */
function withoutTwins(found: readonly FoundServers[]): FoundServers[] {
  const programs = found.filter(({ servers }) => servers.some(({ source }) => source !== 'wg-quick'))
  const keys = new Set(programs.flatMap(({ servers }) => servers.map(({ privateKey }) => privateKey)))
  const plain = found.filter(
    (each) => !programs.includes(each) && !each.servers.some(({ privateKey }) => keys.has(privateKey)),
  )
  return [...programs, ...plain]
}

/** The server as WGDashboard knows it: its file has no names, and none of the peers that are switched off. */
function withDashboard(server: FoundServer, { peers: known }: DashboardPeers): FoundServer {
  const byKey = new Map(known.map((peer) => [peer.publicKey, peer]))
  const own = new Set(server.peers.map(({ publicKey }) => publicKey))
  const peers = server.peers.map((peer): FoundPeer => {
    const more = byKey.get(peer.publicKey)
    if (more === undefined) return peer
    return { ...more, name: more.name ?? peer.name, addresses: peer.addresses, presharedKey: peer.presharedKey }
  })
  const off = known.filter(({ publicKey, enabled }) => !enabled && !own.has(publicKey))
  return { ...server, source: 'wgdashboard', peers: [...peers, ...off] }
}

/** The server with what the files of its devices say: private keys, routes and names. */
function withDevices(server: FoundServer, devices: readonly DeviceFile[]): FoundServer {
  const byKey = new Map(devices.map((device) => [device.publicKey, device]))
  const own = server.peers.flatMap(({ publicKey }) => byKey.get(publicKey) ?? [])
  if (own.length === 0) return server
  return {
    ...server,
    mtu: server.mtu ?? common(own.map(({ mtu }) => mtu)),
    dns:
      server.dns ??
      common(own.map(({ dns }) => dns.join(',')))
        ?.split(',')
        .filter((each) => each !== ''),
    peers: server.peers.map((peer): FoundPeer => {
      const device = byKey.get(peer.publicKey)
      if (device === undefined) return peer
      return {
        ...peer,
        name: peer.name ?? device.name,
        privateKey: peer.privateKey ?? device.privateKey,
        routed: peer.routed ?? device.routed,
        keepalive: peer.keepalive ?? device.keepalive ?? 0,
      }
    }),
  }
}

/** The value that all have; undefined when they differ. */
function common<T>(values: readonly T[]): T | undefined {
  return values.every((value) => value === values[0]) ? values[0] : undefined
}
