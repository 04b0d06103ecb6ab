import type { RunCommand } from './command.ts'
import {
  checkedInterfaceName,
  type DeviceConfig,
  DeviceError,
  type DeviceState,
  type WireGuardDriver,
} from './device.ts'
import { isKey, publicKeyOf } from './keys.ts'
import { adjustLink, compareLink, deleteLink, findLink } from './link.ts'
import { changeRoutes } from './kernel-routes.ts'
import { encodeAddConf, parseDump, parseDumpPeer } from './wg-text.ts'

/** Creates and removes the device; everything else is the same for all data planes. */
export interface DeviceMaker {
  create(name: string): Promise<void>
  remove(name: string): Promise<void>
}

/** Maximum number of peers that a command names, to stay far below the system's bound for an argument list. */
const removalsPerCommand = 1000

/** Makes devices of the kernel's WireGuard module. */
export function createKernelDeviceMaker(run: RunCommand): DeviceMaker {
  return {
    create: async (name) => void (await run('ip', ['link', 'add', 'dev', name, 'type', 'wireguard'])),
    remove: (name) => deleteLink(run, name),
  }
}

/**
 * WireGuard in the kernel, driven by `ip` and `wg`. Peers are added and changed with `wg addconf`, which touches no other
 * peer; private and preshared keys travel through an unlinked file, only public keys appear in argument lists.
 */
export function createKernelDriver(
  run: RunCommand,
  maker: DeviceMaker = createKernelDeviceMaker(run),
): WireGuardDriver {
  const list = async () => (await run('wg', ['show', 'interfaces'])).split(/\s+/).filter((name) => name !== '')
  const read = (name: string) => readDump(run, name, parseDump)
  return {
    backend: 'kernel',
    list,
    read,
    async isForeignLink(name) {
      return (await findLink(run, name)) !== undefined && !(await list()).includes(name)
    },
    differences: (config) => compareLink(run, config),
    changeRoutes: (name, change) => changeRoutes(run, name, change),
    async ensure(config) {
      const before = await read(config.name)
      if (before !== undefined) return adjustDevice(run, config, before)
      if ((await findLink(run, config.name)) !== undefined) {
        throw new DeviceError(`${config.name} exists and is not a WireGuard device`)
      }
      await maker.create(config.name)
      try {
        await adjustDevice(run, config, { publicKey: null, listenPort: 0, peers: new Map() })
      } catch (error) {
        await maker.remove(config.name)
        throw error
      }
    },
    readPeer: (name, publicKey) => readDump(run, name, (text) => parseDumpPeer(text, publicKey)),
    async change(name, changes) {
      const removed = changes.flatMap((change) => (change.kind === 'remove' ? [change.publicKey] : []))
      if (!removed.every(isKey)) throw new DeviceError('a public key is not 32 bytes of base64')
      const peers = changes.flatMap((change) => (change.kind === 'set' ? [change.peer] : []))
      const text = encodeAddConf(peers)
      for (let at = 0; at < removed.length; at += removalsPerCommand) {
        const part = removed.slice(at, at + removalsPerCommand)
        await run('wg', ['set', name, ...part.flatMap((publicKey) => ['peer', publicKey, 'remove'])])
      }
      if (peers.length > 0) await run('wg', ['addconf', name, '/dev/stdin'], { secretInput: text })
    },
    async remove(name) {
      if ((await read(name)) !== undefined) await maker.remove(name)
    },
    close: () => Promise.resolve(),
  }
}

/** Parses the output of `wg` about a device; undefined when there is none. */
async function readDump<T>(run: RunCommand, name: string, parse: (text: string) => T): Promise<T | undefined> {
  try {
    return parse(await run('wg', ['show', checkedInterfaceName(name), 'dump']))
  } catch (error) {
    const isAbsent = error instanceof DeviceError && /No such device|not supported/.test(error.message)
    if (isAbsent) return undefined
    throw error
  }
}

/** The link comes up before the port is set, so that a port in use is an answer of `wg` and names itself. */
async function adjustDevice(run: RunCommand, config: DeviceConfig, before: DeviceState): Promise<void> {
  const { name, privateKey, listenPort } = config
  const link = await findLink(run, name)
  if (link === undefined) throw new DeviceError(`${name} has vanished`)
  if (before.publicKey !== publicKeyOf(privateKey)) {
    await run('wg', ['set', name, 'private-key', '/dev/stdin'], { secretInput: `${privateKey}\n` })
  }
  await adjustLink(run, link, config)
  if (before.listenPort !== listenPort) await run('wg', ['set', name, 'listen-port', String(listenPort)])
}
