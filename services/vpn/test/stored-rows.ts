import { randomInt } from 'node:crypto'
import type { InterfaceRow, PeerRow } from '../src/tables.ts'

/** An interface as stored, for a test: wg0, running, without keys, unless the test says otherwise. */
export function interfaceRow(more: Partial<InterfaceRow> = {}): InterfaceRow {
  return {
    name: 'wg0',
    address: '10.8.0.1/24',
    address6: null,
    listen_port: 51_820,
    dns: '',
    mtu: 1420,
    nat: 1,
    forwarding: 1,
    enabled: 1,
    private_key: '',
    public_key: '',
    next_host: 0,
    created_at: 0,
    updated_at: 0,
    node_id: null,
    standby_node_id: null,
    ...more,
  }
}

/**
 * A peer as stored, for a test: on wg0, enabled, filtered and without a private key, unless the test says otherwise. The digits of
 * the id are its address: `p2` has 10.8.0.2; 2 without digits.
 */
export function peerRow(id: string, more: Partial<PeerRow> = {}): PeerRow {
  const number = more.ip_number ?? Number(/\d+/.exec(id)?.[0] ?? 2)
  const name = more.name ?? id
  return {
    id,
    name,
    name_key: name.toLowerCase(),
    interface: 'wg0',
    ip: `10.8.0.${number}`,
    ip_number: number,
    ipv6: null,
    routing_mode: 'full_tunnel',
    allowed_ips: '[]',
    persistent_keepalive: 25,
    enabled: 1,
    expires_at: null,
    client_isolation: 0,
    public_key: `key ${id}`,
    private_key: null,
    preshared_key: null,
    created_at: 0,
    updated_at: 0,
    dns_number: randomInt(1, 2 ** 31 - 1),
    dns_filtering: 1,
    dns_lists: null,
    dns_logging: 1,
    tags: '[]',
    tag_keys: '',
    limit_down: null,
    limit_up: null,
    networks: null,
    given_routes: null,
    next_public_key: null,
    next_private_key: null,
    next_preshared_key: null,
    endpoint_changed_at: null,
    standby_changed_at: null,
    next_due: null,
    ...more,
  }
}
