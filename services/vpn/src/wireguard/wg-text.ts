import { DeviceError, type DevicePeer, type DeviceState, type PeerState } from './device.ts'
import { checkPeer, zeroKey } from './device-diff.ts'

/**
 * Reads what `wg show <interface> dump` prints: a line for the device (private key, public key, port, mark), then a line a
 * peer. The text holds secrets, so an error names the line and the column, never their content.
 */
export function parseDump(text: string): DeviceState {
  const lines = text.split('\n')
  const device = lines[0]?.split('\t') ?? []
  if (device.length !== 4) throw new DeviceError('wg show dump: line 1 has the wrong number of columns')
  const peers = new Map<string, PeerState>()
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line === '') continue
    const peer = parsePeer(line, index + 1)
    peers.set(peer.publicKey, peer)
  }
  return { publicKey: present(device[1]), listenPort: parseCount(device[2], 'line 1, column 3'), peers }
}

/** Reads one peer out of such a text; undefined when the device does not have it. */
export function parseDumpPeer(text: string, publicKey: string): PeerState | undefined {
  const start = text.indexOf(`\n${publicKey}\t`) + 1
  if (start === 0) return undefined
  const end = text.indexOf('\n', start)
  return parsePeer(end < 0 ? text.slice(start) : text.slice(start, end), 2)
}

function parsePeer(line: string, number: number): PeerState {
  const columns = line.split('\t')
  if (columns.length !== 8) throw new DeviceError(`wg show dump: line ${number} has the wrong number of columns`)
  const [publicKey = '', presharedKey, endpoint, allowedIps = '', handshake, rx, tx] = columns
  const seconds = parseCount(handshake, `line ${number}, column 5`)
  return {
    publicKey,
    presharedKey: present(presharedKey),
    endpoint: present(endpoint),
    allowedIps: present(allowedIps) === null ? [] : allowedIps.split(','),
    latestHandshake: seconds === 0 ? null : seconds * 1000,
    rxBytes: parseCount(rx, `line ${number}, column 6`),
    txBytes: parseCount(tx, `line ${number}, column 7`),
  }
}

function present(column: string | undefined): string | null {
  return column === undefined || column === '(none)' ? null : column
}

function parseCount(column: string | undefined, place: string): number {
  if (column === undefined || !/^\d+$/.test(column)) throw new DeviceError(`wg show dump: ${place} is not a number`)
  return Number(column)
}

/**
 * The text for `wg addconf`: each section replaces the addresses and the preshared key of its peer and touches no other
 * peer. Holds secrets.
 */
export function encodeAddConf(peers: readonly DevicePeer[]): string {
  return peers.map(encodePeer).join('\n')
}

function encodePeer(peer: DevicePeer): string {
  checkPeer(peer)
  const lines = ['[Peer]', `PublicKey = ${peer.publicKey}`, `PresharedKey = ${peer.presharedKey ?? zeroKey}`]
  if (peer.allowedIps.length > 0) lines.push(`AllowedIPs = ${peer.allowedIps.join(', ')}`)
  return `${lines.join('\n')}\n`
}
