import { type DeviceConfig, DeviceError, type DeviceState, type PeerChange, type PeerState } from './device.ts'
import { checkPeer, zeroKey } from './device-diff.ts'
import { isKey, publicKeyOf } from './keys.ts'

/** Changes of the device itself; a member that is missing stays as it is. */
export type UapiDeviceSettings = Partial<Pick<DeviceConfig, 'privateKey' | 'listenPort'>>

/** The request for everything that a device holds. */
export const uapiGet = 'get=1\n\n'

/** The request that changes a device: its own settings first, then the peers in the order given. Holds secrets. */
export function encodeUapiSet(settings: UapiDeviceSettings, changes: readonly PeerChange[]): string {
  const lines = ['set=1']
  if (settings.privateKey !== undefined) lines.push(`private_key=${hexOf(settings.privateKey)}`)
  if (settings.listenPort !== undefined) lines.push(`listen_port=${settings.listenPort}`)
  for (const change of changes) lines.push(...encodeChange(change))
  return `${lines.join('\n')}\n\n`
}

function encodeChange(change: PeerChange): string[] {
  if (change.kind === 'remove') return [`public_key=${hexOf(change.publicKey)}`, 'remove=true']
  const { peer } = change
  checkPeer(peer)
  return [
    `public_key=${hexOf(peer.publicKey)}`,
    `preshared_key=${hexOf(peer.presharedKey ?? zeroKey)}`,
    'replace_allowed_ips=true',
    ...peer.allowedIps.map((network) => `allowed_ip=${network}`),
  ]
}

function hexOf(key: string): string {
  if (!isKey(key)) throw new DeviceError('a key is not 32 bytes of base64')
  return Buffer.from(key, 'base64').toString('hex')
}

/**
 * Reads one peer out of a reply to `uapiGet`; undefined when the device does not have it. Throws a `DeviceError` when the reply
 * is not whole and successful.
 */
export function readUapiPeer(reply: Buffer, publicKey: string): PeerState | undefined {
  if (!reply.toString('latin1', reply.length - 10).endsWith('errno=0\n\n'))
    throw new DeviceError('the device did not answer in full')
  const start = reply.indexOf(`public_key=${hexOf(publicKey)}\n`, 0, 'latin1')
  if (start < 0) return undefined
  const next = reply.indexOf('\npublic_key=', start, 'latin1')
  const parser = createUapiParser()
  parser.push(next < 0 ? reply.toString('latin1', start) : `${reply.toString('latin1', start, next)}\nerrno=0\n`)
  return parser.state().peers.get(publicKey)
}

type Draft = { -readonly [K in keyof PeerState]: PeerState[K] } & { allowedIps: string[] }

const zeroHex = '0'.repeat(64)

/** A parser for the reply to `uapiGet` or to a change. */
export type UapiParser = ReturnType<typeof createUapiParser>

/** Creates a parser that reads a reply piece by piece, so that a reply of megabytes never occupies the event loop in one go. */
export function createUapiParser() {
  const peers = new Map<string, PeerState>()
  const device: { publicKey: string | null; listenPort: number; errno?: number } = { publicKey: null, listenPort: 0 }
  let peer: Draft | undefined
  let rest = ''

  function line(text: string): void {
    const at = text.indexOf('=')
    const key = text.slice(0, at)
    const value = text.slice(at + 1)
    if (key === 'public_key') {
      peer = emptyPeer(base64Of(value))
      peers.set(peer.publicKey, peer)
    } else if (key === 'errno') device.errno = Number(value)
    else if (peer !== undefined) readPeerLine(peer, key, value)
    else if (key === 'private_key') device.publicKey = value === zeroHex ? null : publicKeyOf(base64Of(value))
    else if (key === 'listen_port') device.listenPort = Number(value)
  }

  return {
    /** Takes the next piece, cut anywhere. */
    push(text: string): void {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const each of lines) if (each !== '') line(each)
    },
    /** The number of the system error the device ended with, 0 for success, or undefined when the reply was cut off. */
    errno: () => device.errno,
    /** Returns the device's state from the reply. Throws a `DeviceError` when it is not a whole and successful reply. */
    state(): DeviceState {
      if (device.errno !== 0) throw new DeviceError(`the device answered with error ${device.errno ?? 'none'}`)
      return { publicKey: device.publicKey, listenPort: device.listenPort, peers }
    },
  }
}

function emptyPeer(publicKey: string): Draft {
  const counters = { endpoint: null, latestHandshake: null, rxBytes: 0, txBytes: 0 }
  return { publicKey, presharedKey: null, allowedIps: [], ...counters }
}

function readPeerLine(peer: Draft, key: string, value: string): void {
  if (key === 'allowed_ip') peer.allowedIps.push(value)
  else if (key === 'endpoint') peer.endpoint = value
  else if (key === 'rx_bytes') peer.rxBytes = Number(value)
  else if (key === 'tx_bytes') peer.txBytes = Number(value)
  else if (key === 'preshared_key') peer.presharedKey = value === zeroHex ? null : base64Of(value)
  else if (key === 'last_handshake_time_sec') peer.latestHandshake = value === '0' ? null : Number(value) * 1000
  else if (key === 'last_handshake_time_nsec' && peer.latestHandshake !== null) {
    peer.latestHandshake += Math.floor(Number(value) / 1e6)
  }
}

function base64Of(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}
