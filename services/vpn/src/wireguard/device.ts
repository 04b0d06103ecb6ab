/**
 * The vocabulary of the data plane: what a WireGuard device should be, what it is, and how to change it.
 * Everything else in this folder speaks these types; nothing here touches the machine.
 */

/** The device itself, without its peers. `privateKey` is a secret: it never reaches a log, an argument list or an error. */
export interface DeviceConfig {
  /** Linux interface name, at most 15 bytes. */
  readonly name: string
  /** Base64, 32 bytes. */
  readonly privateKey: string
  /** UDP port, 1 to 65535. */
  readonly listenPort: number
  /** Addresses of the host on the tunnel in CIDR form with host bits, such as `10.8.0.1/24` and `fd13:13:13::1/64`. */
  readonly addresses: readonly string[]
  /** Bytes, 1280 to 9000. */
  readonly mtu: number
  /** Networks behind peers that this host reaches through the device, in CIDR form without host bits. */
  readonly routes: readonly string[]
}

/** Networks that this host is to reach through a device, or not any more. */
export interface RouteChange {
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** One peer as the device should hold it. `presharedKey` is a secret. */
export interface DevicePeer {
  /** Base64, 32 bytes; identifies the peer. */
  readonly publicKey: string
  /** Base64, 32 bytes, or null for none. */
  readonly presharedKey: string | null
  /**
   * The addresses that belong to this peer alone, `10.8.0.2/32` and `fd13:13:13::2/128`, and the networks behind it, as a device
   * prints them; never a default route.
   */
  readonly allowedIps: readonly string[]
}

/** One peer as a running device reports it. Counters are the device's own, seen from the server, and restart at 0 with the peer. */
export interface PeerState extends DevicePeer {
  /** `address:port` the last authenticated packet came from, or null. */
  readonly endpoint: string | null
  /** Milliseconds since the epoch, or null when there never was a handshake. */
  readonly latestHandshake: number | null
  /** Bytes received from the peer. */
  readonly rxBytes: number
  /** Bytes sent to the peer. */
  readonly txBytes: number
}

/** A running device as read back from it. */
export interface DeviceState {
  /** Base64; null while no private key is set. */
  readonly publicKey: string | null
  readonly listenPort: number
  /** By public key. */
  readonly peers: ReadonlyMap<string, PeerState>
}

/** One additive step on a running device. `set` adds or changes one peer and touches no other. */
export type PeerChange =
  | { readonly kind: 'set'; readonly peer: DevicePeer }
  | { readonly kind: 'remove'; readonly publicKey: string }

/** The changes of a batch with the removals before all others, which keep their order. */
export function removalsFirst(changes: readonly PeerChange[]): PeerChange[] {
  return changes.toSorted((a, b) => Number(b.kind === 'remove') - Number(a.kind === 'remove'))
}

/** Kind of the data plane. */
export type Backend = 'kernel' | 'userspace' | 'simulated'

/**
 * One way to drive WireGuard. Every call has a timeout and either did all it says or throws a `DeviceError`; none of them
 * disturbs a peer that it does not change.
 */
export interface WireGuardDriver {
  readonly backend: Backend
  /** Names of the WireGuard devices that exist on this host, ours or not. */
  list(): Promise<string[]>
  /** True when a network link of that name exists and is not a WireGuard device. */
  isForeignLink(name: string): Promise<boolean>
  /** The device as it runs now, or undefined when there is none. */
  read(name: string): Promise<DeviceState | undefined>
  /** One peer as it runs now, without the work of reading all others; undefined when it or its device is not there. */
  readPeer(name: string, publicKey: string): Promise<PeerState | undefined>
  /** Returns the differences of the running link to the configuration (state, addresses, MTU, routes), in words; empty for none. */
  differences(config: DeviceConfig): Promise<string[]>
  /** Creates the device when it is missing; sets key, port, addresses, MTU and routes; brings it up. Keeps the peers it has. */
  ensure(config: DeviceConfig): Promise<void>
  /** Applies the changes as one batch: removals first, then the others in the order given. */
  change(name: string, changes: readonly PeerChange[]): Promise<void>
  /** Changes routes through a running device; one that is as wanted already stays as it is. */
  changeRoutes(name: string, change: RouteChange): Promise<void>
  /** Takes the device down and away; not an error when it is not there. */
  remove(name: string): Promise<void>
  close(): Promise<void>
}

/** A data-plane operation failed. The message says what failed and why, and holds no key. */
export class DeviceError extends Error {
  override readonly name: string = 'DeviceError'
}

/**
 * Passes a name on when the system and its tools take it as an interface name and nothing else: at most 15 characters, a letter
 * first (never a `-`), no path in it. Throws a `DeviceError` otherwise.
 */
export function checkedInterfaceName(name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_.-]{0,14}$/.test(name)) throw new DeviceError('not a name for an interface')
  return name
}
