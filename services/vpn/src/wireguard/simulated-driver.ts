import { createKeyedQueue } from '@hearth/runtime'
import { DeviceError, type DeviceConfig, type DeviceState, type WireGuardDriver } from './device.ts'
import { applyToModel } from './device-model.ts'
import { publicKeyOf } from './keys.ts'
import { linkDifferences } from './link.ts'
import { cidrOf } from './network-address.ts'
import { openSimulatedDevices, type SimulatedDevice, type SimulatedDevices } from './simulated-devices.ts'
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
    differences: async (config) => differencesOf((await store.load()).get(config.name), config),
    ensure: (config) => alter((devices) => ensureDevice(devices, config)),
    change: (name, changes) =>
      alter((devices) => {
        const device = devices.get(name)
        if (device === undefined) throw new DeviceError(`${name} is not running`)
        const peers = new Map(device.peers)
        applyToModel(peers, changes)
        devices.set(name, { ...device, peers })
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
  const { name, listenPort, mtu } = config
  for (const [other, { listenPort: taken }] of devices) {
    if (other !== name && taken === listenPort) throw new DeviceError(`${name}: the port is in use`)
  }
  const addresses = config.addresses.map(cidrOf)
  const peers = devices.get(name)?.peers ?? new Map()
  devices.set(name, { publicKey: publicKeyOf(config.privateKey), listenPort, mtu, addresses, peers })
}

function differencesOf(device: SimulatedDevice | undefined, config: DeviceConfig): string[] {
  if (device === undefined) return ['device missing']
  const { addresses, mtu } = device
  return linkDifferences({ name: config.name, kind: 'simulated', isUp: true, addresses, mtu }, config)
}
