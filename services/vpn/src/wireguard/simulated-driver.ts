import { createHash, randomUUID } from 'node:crypto'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyedQueue, parseJson } from '@hearth/runtime'
import { z } from 'zod'
import {
  type DeviceConfig,
  DeviceError,
  type DeviceState,
  type PeerChange,
  type PeerState,
  removalsFirst,
  type WireGuardDriver,
} from './device.ts'
import { checkPeer, ownersOf } from './device-diff.ts'
import { publicKeyOf } from './keys.ts'
import { linkDifferences } from './link.ts'
import { cidrOf } from './network-address.ts'
import { readSimulatedTraffic } from './simulated-traffic.ts'

/**
 * A data plane that needs no privileges and carries no packets: devices are entries of a file in the data directory, which
 * survives the process like a real device does. Its peers never have a handshake unless `simulateTraffic` writes one.
 */
export function createSimulatedDriver(directory: string): WireGuardDriver {
  const store = openSimulatedDevices(directory)
  const queue = createKeyedQueue(10_000)
  const alter = (work: (devices: Map<string, SimulatedDevice>) => void) =>
    queue.run('devices', async () => {
      const devices = new Map(await store.load())
      work(devices)
      await store.save(devices)
    })
  return {
    backend: 'simulated',
    list: async () => [...(await store.load()).keys()],
    isForeignLink: () => Promise.resolve(false),
    read: (name) => readDevice(store, { directory, name }),
    async readPeer(name, publicKey) {
      const peer = (await store.load()).get(name)?.peers.get(publicKey)
      return peer && { ...peer, ...(await readSimulatedTraffic(directory)).get(publicKey) }
    },
    async differences(config) {
      const device = (await store.load()).get(config.name)
      return linkDifferences(device && { name: config.name, kind: 'simulated', isUp: true, ...device }, config)
    },
    ensure: (config) => alter((devices) => ensureDevice(devices, config)),
    change: (name, changes) =>
      alter((devices) => {
        const device = devices.get(name)
        if (device === undefined) throw new DeviceError(`${name} is not running`)
        const peers = new Map(device.peers)
        applyToModel(peers, changes)
        devices.set(name, { ...device, peers })
      }),
    changeRoutes: (name, { add, remove }) =>
      alter((devices) => {
        const device = devices.get(name)
        if (device === undefined) throw new DeviceError(`${name} is not running`)
        const kept = device.routes.filter((network) => !remove.includes(network) && !add.includes(network))
        devices.set(name, { ...device, routes: [...kept, ...add] })
      }),
    remove: (name) => alter((devices) => void devices.delete(name)),
    close: () => queue.idle(),
  }
}

async function readDevice(
  store: SimulatedDevices,
  { directory, name }: { directory: string; name: string },
): Promise<DeviceState | undefined> {
  const device = (await store.load()).get(name)
  if (device === undefined) return undefined
  const activity = await readSimulatedTraffic(directory)
  const peers = new Map([...device.peers].map(([key, peer]) => [key, { ...peer, ...activity.get(key) }]))
  return { publicKey: device.publicKey, listenPort: device.listenPort, peers }
}

function ensureDevice(devices: Map<string, SimulatedDevice>, config: DeviceConfig): void {
  const { name, listenPort, mtu, routes } = config
  for (const [other, { listenPort: taken }] of devices) {
    if (other !== name && taken === listenPort) throw new DeviceError(`${name}: the port is in use`)
  }
  const addresses = config.addresses.map(cidrOf)
  const peers = devices.get(name)?.peers ?? new Map()
  devices.set(name, { publicKey: publicKeyOf(config.privateKey), listenPort, mtu, addresses, routes, peers })
}

/**
 * Model of a WireGuard device on a map: a change replaces addresses and preshared key of
 * its peer and keeps its counters; an address another peer holds moves over silently. Changes `peers` in place.
 */
export function applyToModel(peers: Map<string, PeerState>, changes: readonly PeerChange[]): void {
  const owners = ownersOf(peers.values())
  for (const change of removalsFirst(changes)) {
    const publicKey = change.kind === 'set' ? change.peer.publicKey : change.publicKey
    const held = peers.get(publicKey)
    for (const network of held?.allowedIps ?? []) owners.delete(network)
    if (change.kind === 'remove') {
      peers.delete(publicKey)
      continue
    }
    const { peer } = change
    checkPeer(peer)
    for (const network of peer.allowedIps) {
      const robbed = peers.get(owners.get(network) ?? '')
      if (robbed !== undefined && robbed.publicKey !== publicKey) {
        peers.set(robbed.publicKey, { ...robbed, allowedIps: robbed.allowedIps.filter((each) => each !== network) })
      }
      owners.set(network, publicKey)
    }
    peers.set(publicKey, { ...(held ?? newPeer), ...peer })
  }
}

const newPeer = { endpoint: null, latestHandshake: null, rxBytes: 0, txBytes: 0 }

/** A simulated device: what a real one would hold in memory, without its private key. */
interface SimulatedDevice {
  publicKey: string
  listenPort: number
  addresses: readonly string[]
  routes: readonly string[]
  mtu: number
  peers: Map<string, PeerState>
}

const StoredDevice = z.object({
  publicKey: z.string(),
  listenPort: z.int(),
  addresses: z.array(z.string()),
  /** Missing in files of older versions. */
  routes: z.array(z.string()).default([]),
  mtu: z.int(),
  /** Public key, fingerprint of the preshared key, addresses. */
  peers: z.array(z.tuple([z.string(), z.string().nullable(), z.array(z.string())])),
})

const StoredDevices = z.record(z.string(), StoredDevice)

type SimulatedDevices = ReturnType<typeof openSimulatedDevices>

/**
 * Opens the simulated devices of one data directory, kept in `simulated-devices.json`. No secret is written: a preshared key is stored as its SHA-256, and read back as the key itself by the
 * process that set it, as the fingerprint by any other one (which then sets it again). A file that cannot be read
 * is a `DeviceError`.
 */
function openSimulatedDevices(directory: string) {
  const path = join(directory, 'simulated-devices.json')
  const fingerprints = createKeyFingerprints()
  let cached: { version: string; devices: Map<string, SimulatedDevice> } = { version: 'none', devices: new Map() }

  /** The devices as the file holds them now; shared, changed only on the way to `save`. */
  async function load(): Promise<Map<string, SimulatedDevice>> {
    const version = await versionOf(path)
    if (version !== cached.version) cached = { version, devices: await readDevices(path, fingerprints) }
    return cached.devices
  }

  /** Writes all devices in one step. */
  async function save(devices: ReadonlyMap<string, SimulatedDevice>): Promise<void> {
    const stored = Object.fromEntries([...devices].map(([name, device]) => [name, storedForm(device, fingerprints)]))
    const temporary = `${path}.${randomUUID()}.tmp`
    try {
      await writeFile(temporary, JSON.stringify(stored), { mode: 0o600, flag: 'wx' })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw new DeviceError(`simulated-devices.json cannot be written: ${(error as Error).message}`, { cause: error })
    }
    cached = { version: await versionOf(path), devices: new Map(devices) }
  }

  return { load, save }
}

/** Stands for one state of the file; a write through a new file always changes it. */
async function versionOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found === undefined ? 'none' : `${found.ino}-${found.mtimeNs}-${found.size}`
}

async function readDevices(path: string, fingerprints: KeyFingerprints): Promise<Map<string, SimulatedDevice>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw new DeviceError(`simulated-devices.json cannot be read: ${error.message}`, { cause: error })
  })
  const parsed = StoredDevices.safeParse(parseJson(text))
  if (!parsed.success) throw new DeviceError('simulated-devices.json is damaged; remove it to start anew')
  return new Map(
    Object.entries(parsed.data).map(([name, device]) => {
      const peers = device.peers.map(([publicKey, fingerprint, allowedIps]) => {
        const presharedKey = fingerprint === null ? null : fingerprints.resolve(fingerprint)
        return [publicKey, { ...newPeer, publicKey, presharedKey, allowedIps }] as const
      })
      return [name, { ...device, peers: new Map(peers) }]
    }),
  )
}

function storedForm(device: SimulatedDevice, fingerprints: KeyFingerprints): z.infer<typeof StoredDevice> {
  const peers = [...device.peers.values()].map(({ publicKey, presharedKey, allowedIps }): StoredPeer => {
    return [publicKey, presharedKey === null ? null : fingerprints.of(presharedKey), [...allowedIps]]
  })
  const { publicKey, listenPort, addresses, routes, mtu } = device
  return { publicKey, listenPort, addresses: [...addresses], routes: [...routes], mtu, peers }
}

type StoredPeer = [string, string | null, string[]]

type KeyFingerprints = ReturnType<typeof createKeyFingerprints>

/**
 * Creates fingerprints that replace preshared keys in a file: 32 bytes of base64 like a key, but nothing can be opened with them.
 * Remembers the keys this process has seen.
 */
function createKeyFingerprints() {
  const byKey = new Map<string, string>()
  const byFingerprint = new Map<string, string>()
  return {
    /** Returns the fingerprint of a key; a fingerprint that no one could resolve stays as it is. */
    of(key: string): string {
      const known = byKey.get(key)
      if (known !== undefined) return known
      const fingerprint = createHash('sha256').update(key).digest('base64')
      byKey.set(key, fingerprint)
      byFingerprint.set(fingerprint, key)
      return fingerprint
    },
    /** Returns the key of a fingerprint when this process has seen it, else the fingerprint. */
    resolve(fingerprint: string): string {
      const key = byFingerprint.get(fingerprint)
      if (key === undefined) byKey.set(fingerprint, fingerprint)
      return key ?? fingerprint
    },
  }
}
