import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { RunCommand } from './command.ts'
import {
  checkedInterfaceName,
  DeviceError,
  type DeviceConfig,
  removalsFirst,
  type DeviceState,
  type WireGuardDriver,
} from './device.ts'
import { publicKeyOf } from './keys.ts'
import { adjustLink, compareLink, deleteLink, findLink, listLinks } from './link.ts'
import { changeRoutes } from './kernel-routes.ts'
import { isAnswered, NobodyListens, UapiClient, type UapiRequest } from './uapi-socket.ts'
import { createUapiParser, encodeUapiSet, readUapiPeer, uapiGet, type UapiDeviceSettings } from './uapi-text.ts'

/** Folder of wireguard-go's sockets. */
const socketFolder = '/var/run/wireguard'

/** Milliseconds for one exchange with a device, and for a new device to come up. */
const exchangeTimeout = 10_000
const startTimeout = 5000

/** Programs of this host and the sockets of its devices. */
interface Host {
  readonly run: RunCommand
  readonly uapi: UapiClient
}

/**
 * WireGuard in its own process (wireguard-go), for kernels without the module. The process runs in its own session and
 * outlives this one; a device that already runs under the name is adopted with its peers and sessions.
 */
export function createUserspaceDriver(run: RunCommand): WireGuardDriver {
  const host: Host = { run, uapi: new UapiClient() }
  return {
    backend: 'userspace',
    list: () => listDevices(run),
    async isForeignLink(name) {
      const link = await findLink(run, name)
      return link !== undefined && link.kind !== 'wireguard' && !(await isAnswered(socketOf(name)))
    },
    read: (name) => orAbsent(run, name, () => stateOf(host, name)),
    readPeer: (name, publicKey) =>
      orAbsent(run, name, () => host.uapi.fetch(getRequest(name), (reply) => readUapiPeer(reply, publicKey))),
    differences: (config) => compareLink(run, config),
    changeRoutes: (name, change) => changeRoutes(run, name, change),
    ensure: (config) => ensureDevice(host, config),
    async change(name, changes) {
      if (changes.length === 0) return
      await setDevice(host, name, encodeUapiSet({}, removalsFirst(changes)))
    },
    async remove(name) {
      if (await isAnswered(socketOf(name))) await deleteLink(run, name)
      await waitUntil(async () => !(await isAnswered(socketOf(name))), `${name} does not end`)
    },
    close: () => Promise.resolve(),
  }
}

function socketOf(name: string): string {
  return join(socketFolder, `${checkedInterfaceName(name)}.sock`)
}

async function listDevices(run: RunCommand): Promise<string[]> {
  const files = await readdir(socketFolder).catch(() => [])
  const sockets = new Set(files.filter((file) => file.endsWith('.sock')).map((file) => file.slice(0, -'.sock'.length)))
  const names: string[] = []
  for (const link of await listLinks(run)) {
    const isOurs = link.kind === 'wireguard' || (sockets.has(link.name) && (await isAnswered(socketOf(link.name))))
    if (isOurs) names.push(link.name)
  }
  return names
}

/** Returns what `work` reads of a device; undefined when there is no such device. */
async function orAbsent<T>(run: RunCommand, name: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof NobodyListens)) throw new DeviceError(`${name}: ${messageOf(error)}`, { cause: error })
  }
  const link = await findLink(run, name)
  if (link?.kind === 'wireguard') throw new DeviceError(`${name} belongs to the kernel, not to wireguard-go`)
  // Unreachable is not the same as gone: its counters continue, and would be counted twice if they were taken as restarted.
  if (link?.kind === 'tun') throw new DeviceError(`${name} runs, but does not answer on its socket`)
  return undefined
}

/** Sends one change, made by `encodeUapiSet`. */
async function setDevice({ uapi }: Host, name: string, request: string): Promise<void> {
  const parser = createUapiParser()
  try {
    await uapi.exchange({ path: socketOf(name), request, timeout: exchangeTimeout }, parser)
  } catch (error) {
    if (error instanceof NobodyListens) throw new DeviceError(`${name} is not running`, { cause: error })
    throw new DeviceError(`${name}: ${messageOf(error)}`, { cause: error })
  }
  if (parser.errno() !== 0)
    throw new DeviceError(`${name}: the device refused the change: ${errnoText(parser.errno())}`)
}

async function ensureDevice(host: Host, config: DeviceConfig): Promise<void> {
  const { run } = host
  const { name } = config
  if (await isAnswered(socketOf(name))) return adjustDevice(host, config)
  if ((await findLink(run, name)) !== undefined) {
    throw new DeviceError(`${name} exists and is not a device of wireguard-go`)
  }
  await run('wireguard-go', [name], { leavesProcess: true })
  try {
    await waitUntil(() => isAnswered(socketOf(name)), `${name} does not start`)
    await adjustDevice(host, config)
  } catch (error) {
    await deleteLink(run, name)
    throw error
  }
}

async function adjustDevice(host: Host, config: DeviceConfig): Promise<void> {
  const { run } = host
  const link = await findLink(run, config.name)
  if (link === undefined) throw new DeviceError(`${config.name} is in use by another network namespace of this host`)
  await adjustSettings(host, { config, isUp: link.isUp, adjust: () => adjustLink(run, link, config) })
}

/**
 * Sets key and port. A device binds its port by itself when its link comes up, and keeps quiet when it fails; so a device
 * that is down first forgets its port, comes up with any, and then takes the wanted one with an answer.
 */
async function adjustSettings(
  host: Host,
  { config, isUp, adjust }: { config: DeviceConfig; isUp: boolean; adjust: () => Promise<void> },
): Promise<void> {
  const { name, privateKey, listenPort } = config
  const set = (settings: UapiDeviceSettings) => setDevice(host, name, encodeUapiSet(settings, []))
  const before = await stateOf(host, name)
  const settings = before.publicKey === publicKeyOf(privateKey) ? {} : { privateKey }
  if (!isUp) await set({ ...settings, listenPort: 0 })
  else if ('privateKey' in settings) await set(settings)
  await adjust()
  if (!isUp) await waitUntil(async () => (await stateOf(host, name)).listenPort !== 0, `${name} does not come up`)
  if (!isUp || before.listenPort !== listenPort) await set({ listenPort })
}

async function stateOf({ uapi }: Host, name: string): Promise<DeviceState> {
  const parser = createUapiParser()
  await uapi.exchange(getRequest(name), parser)
  return parser.state()
}

function getRequest(name: string): UapiRequest {
  return { path: socketOf(name), request: uapiGet, timeout: exchangeTimeout }
}

async function waitUntil(condition: () => Promise<boolean>, failure: string): Promise<void> {
  const deadline = performance.now() + startTimeout
  while (!(await condition())) {
    if (performance.now() > deadline) throw new DeviceError(`${failure} within ${startTimeout} ms`)
    await pause(5)
  }
}

function errnoText(errno: number | undefined): string {
  if (errno === -98 || errno === 98) return 'the port is in use'
  return `error ${errno ?? 'unknown'}`
}

function messageOf(error: unknown): string {
  return error instanceof DeviceError ? error.message : 'failed'
}
