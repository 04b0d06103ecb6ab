import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { conflict } from '../problems.ts'
import type { WireGuardDriver } from '../wireguard/device.ts'
import { readHostNetworks, type HostNetwork } from './host-networks.ts'

/** What the host already has under a name or port. */
export interface HostLinks {
  /** Whether a network link of that name exists. */
  isTaken(name: string): Promise<boolean>
  /** Whether nothing on this host listens on the UDP port. */
  isPortFree(port: number): Promise<boolean>
  /** The networks this host is in or has routes to. */
  networks(): Promise<readonly HostNetwork[]>
}

/** The first port WireGuard is usually given. */
export const firstPort = 51_820

/** Asks the data plane for links and the system for ports. */
export function createHostLinks(driver: Pick<WireGuardDriver, 'list' | 'isForeignLink'>): HostLinks {
  return {
    isTaken: async (name) => (await driver.isForeignLink(name)) || (await driver.list()).includes(name),
    isPortFree: isUdpPortFree,
    networks: readHostNetworks,
  }
}

/** The first port from 51820 that no interface and no other program has. */
export async function firstFreePort(db: Kysely<Tables>, host: Pick<HostLinks, 'isPortFree'>): Promise<number> {
  const rows = await db.selectFrom('interfaces').select('listen_port').execute()
  const used = new Set(rows.map((row) => row.listen_port))
  for (let port = firstPort; port <= 65_535; port += 1) {
    if (!used.has(port) && (await host.isPortFree(port))) return port
  }
  throw conflict('listen_port', `No UDP port from ${firstPort} is free`)
}

async function isUdpPortFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  try {
    socket.bind(port, '0.0.0.0')
    await once(socket, 'listening')
    return true
  } catch {
    return false
  } finally {
    socket.close()
  }
}
