import type { ClientTable } from '../policy/client-table.ts'
import { linux, sockaddr } from '../sockets/layouts.ts'
import { isNearby } from '../sockets/socket-address.ts'

/** The number of the client that sends from the `struct sockaddr` at bytes[at ..]; 0 for an unknown client. */
export function clientAt(clients: ClientTable, bytes: Uint8Array, at: number): number {
  if (bytes[at] !== linux.AF_INET) return clients.numberOf(clients.find6(bytes, at + sockaddr.ipv6))
  const from = at + sockaddr.ipv4
  const address = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!
  return clients.numberOf(clients.find4(address))
}

/**
 * Returns the client of a query: its number, 0 for an unknown one, -1 for one that gets no answer. On a tunnel only its clients
 * are answered; elsewhere (`DNS_LISTEN`) only local sources, which count as `listenClient` or, when that is 0, by their
 * address.
 */
export function clientOfQuery(
  clients: ClientTable,
  isTunnel: boolean,
  listenClient: number,
  bytes: Uint8Array,
  at: number,
): number {
  if (isTunnel) return clientAt(clients, bytes, at) || -1
  if (!isNearby(bytes, at)) return -1
  return listenClient === 0 ? clientAt(clients, bytes, at) : listenClient
}
