import { hostOfEndpoint } from '../traffic/bucket.ts'
import type { PeerActivityRow, PeerConnectionRow } from '../tables.ts'

/** Activity of a peer, as far as its connections follow from it. */
export type ConnectionFacts = Readonly<Omit<PeerActivityRow, 'peer_id' | 'rx_bucketed' | 'tx_bucketed'>>

/** Bytes of a connection while it came from one address; the address is empty when it is not known. */
export interface AddressTraffic {
  readonly address: string
  rx: number
  tx: number
}

/** Addresses of one connection that are told apart; what comes from further ones is counted under an empty address. */
export const maxAddresses = 16

/** A connection of a peer. Bytes are seen from the server. */
export interface Connection {
  readonly peerId: string
  readonly began: number
  ended: number | null
  /** Totals of the peer when the connection began. */
  readonly before: { readonly rx: number; readonly tx: number }
  rx: number
  tx: number
  /** The present address stands last. */
  readonly addresses: AddressTraffic[]
  addressChanges: number
  /** Activity of the peer in the last sample; bytes are counted up to it when they are needed. */
  facts: ConnectionFacts
  lastSeen: number
  writtenAt: number
  /** The stored row lacks an address. */
  isStale: boolean
}

/** Begins a connection with the bytes that were counted since the sample before. */
export function beginConnection(
  peerId: string,
  { before, after, now }: { before: ConnectionFacts; after: ConnectionFacts; now: number },
): Connection {
  return {
    peerId,
    began: Math.min(now, after.last_handshake ?? now),
    ended: null,
    before: { rx: before.rx_total, tx: before.tx_total },
    rx: 0,
    tx: 0,
    addresses: [{ address: hostOfEndpoint(after.endpoint), rx: 0, tx: 0 }],
    addressChanges: 0,
    facts: after,
    lastSeen: now,
    writtenAt: Number.NEGATIVE_INFINITY,
    isStale: true,
  }
}

/** Takes over what a peer did since the sample before, and where it connects from now. */
export function followConnection(connection: Connection, after: ConnectionFacts, now: number): void {
  const { endpoint } = connection.facts
  if (after.endpoint !== endpoint) {
    countUp(connection)
    moveTo(connection, hostOfEndpoint(after.endpoint))
  }
  connection.facts = after
  connection.lastSeen = now
}

/** Counts the bytes up to the last sample, for the present address. */
export function countUp(connection: Connection): void {
  const rx = Math.max(connection.rx, connection.facts.rx_total - connection.before.rx)
  const tx = Math.max(connection.tx, connection.facts.tx_total - connection.before.tx)
  const present = connection.addresses.at(-1)
  if (present !== undefined) {
    present.rx += rx - connection.rx
    present.tx += tx - connection.tx
  }
  connection.rx = rx
  connection.tx = tx
}

function moveTo(connection: Connection, address: string): void {
  const { addresses } = connection
  if (addresses.at(-1)?.address === address) return
  connection.addressChanges += 1
  connection.isStale = true
  const isFull = addresses.length >= maxAddresses && addresses.every((known) => known.address !== address)
  const name = isFull ? '' : address
  const index = addresses.findIndex((known) => known.address === name)
  addresses.push(...(index === -1 ? [{ address: name, rx: 0, tx: 0 }] : addresses.splice(index, 1)))
}

/** The stored form of a connection. */
export function rowOfConnection(connection: Connection): PeerConnectionRow {
  countUp(connection)
  const { peerId, began, ended, before, rx, tx, addresses, addressChanges } = connection
  const listed = JSON.stringify(addresses.map((each) => [each.address, each.rx, each.tx]))
  const totals = { rx_before: before.rx, tx_before: before.tx, rx_bytes: rx, tx_bytes: tx }
  return { peer_id: peerId, began, ended, ...totals, addresses: listed, address_changes: addressChanges }
}

/** Reads the addresses of a stored connection. */
export function addressesOf({ addresses }: Pick<PeerConnectionRow, 'addresses'>): AddressTraffic[] {
  const listed = JSON.parse(addresses) as [string, number, number][]
  return listed.map(([address, rx, tx]) => ({ address, rx, tx }))
}

/** Resumes a stored connection; its totals say what it moved since it was written. */
export function resumeConnection(row: PeerConnectionRow, facts: ConnectionFacts, lastSeen: number): Connection {
  return {
    peerId: row.peer_id,
    began: row.began,
    ended: row.ended,
    before: { rx: row.rx_before, tx: row.tx_before },
    rx: row.rx_bytes,
    tx: row.tx_bytes,
    addresses: addressesOf(row),
    addressChanges: row.address_changes,
    facts,
    lastSeen: Math.max(row.began, lastSeen),
    writtenAt: Number.NEGATIVE_INFINITY,
    isStale: false,
  }
}
