import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { DeviceError, type PeerState } from './device.ts'
import { createKeyFingerprints, type KeyFingerprints } from './key-fingerprints.ts'

/** A simulated device: what a real one would hold in memory, without its private key. */
export interface SimulatedDevice {
  publicKey: string
  listenPort: number
  addresses: readonly string[]
  mtu: number
  peers: Map<string, PeerState>
}

const StoredDevice = z.object({
  publicKey: z.string(),
  listenPort: z.int(),
  addresses: z.array(z.string()),
  mtu: z.int(),
  /** Public key, fingerprint of the preshared key, addresses. */
  peers: z.array(z.tuple([z.string(), z.string().nullable(), z.array(z.string())])),
})

const StoredDevices = z.record(z.string(), StoredDevice)

/** The simulated devices of one data directory, kept in `simulated-devices.json`. */
export interface SimulatedDevices {
  /** The devices as the file holds them now; shared, change only inside `save`'s turn. */
  load(): Promise<Map<string, SimulatedDevice>>
  /** Writes all devices in one step. */
  save(devices: ReadonlyMap<string, SimulatedDevice>): Promise<void>
}

/**
 * Opens the file. No secret is written: a preshared key is stored as its SHA-256, and read back as the key itself by the
 * process that set it, as the fingerprint by any other one (which then sets it anew). A file that cannot be read
 * is a `DeviceError`.
 */
export function openSimulatedDevices(directory: string): SimulatedDevices {
  const path = join(directory, 'simulated-devices.json')
  const fingerprints = createKeyFingerprints()
  let cached: { version: string; devices: Map<string, SimulatedDevice> } = { version: 'none', devices: new Map() }

  async function load(): Promise<Map<string, SimulatedDevice>> {
    const version = await versionOf(path)
    if (version !== cached.version) cached = { version, devices: await readDevices(path, fingerprints) }
    return cached.devices
  }

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
        return [publicKey, idlePeer(publicKey, presharedKey, allowedIps)] as const
      })
      return [name, { ...device, peers: new Map(peers) }]
    }),
  )
}

function idlePeer(publicKey: string, presharedKey: string | null, allowedIps: readonly string[]): PeerState {
  return { publicKey, presharedKey, allowedIps, endpoint: null, latestHandshake: null, rxBytes: 0, txBytes: 0 }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function storedForm(device: SimulatedDevice, fingerprints: KeyFingerprints): z.infer<typeof StoredDevice> {
  const peers = [...device.peers.values()].map(({ publicKey, presharedKey, allowedIps }): StoredPeer => {
    return [publicKey, presharedKey === null ? null : fingerprints.of(presharedKey), [...allowedIps]]
  })
  const { publicKey, listenPort, addresses, mtu } = device
  return { publicKey, listenPort, addresses: [...addresses], mtu, peers }
}

type StoredPeer = [string, string | null, string[]]
