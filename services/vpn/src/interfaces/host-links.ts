import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { conflict } from '../problems.ts'
import { readHostNetworks } from './host-networks.ts'
import { interfaceRowsOn } from './store.ts'
import type { WireGuardDriver } from '../wireguard/device.ts'

/** Names, ports and networks that this host already uses. */
export type HostLinks = ReturnType<typeof createHostLinks>

/** The first port WireGuard is usually given. */
export const firstPort = 51_820

/** Reads links from the data plane, ports and networks from the system. */
export function createHostLinks(driver: Pick<WireGuardDriver, 'backend' | 'list' | 'isForeignLink' | 'read'>) {
  return {
    /** Returns true if a network link of that name exists. */
    isTaken: async (name: string) => (await driver.isForeignLink(name)) || (await driver.list()).includes(name),
    /** The public key of a WireGuard device that runs under the name; undefined when there is none, or it has no key. */
    runningKey: async (name: string) => (await driver.read(name))?.publicKey ?? undefined,
    /** Returns true if no socket of this host has the UDP port, but for a moment; a simulated device opens none and needs none. */
    isPortFree: (port: number) => (driver.backend === 'simulated' ? Promise.resolve(true) : isUdpPortFree(port)),
    /** The networks this host is in or has routes to. */
    networks: readHostNetworks,
  }
}

/** The first port from 51820 that no interface of these hosts and no other program has; null is this host, others are nodes. */
export async function firstFreePort(
  db: Kysely<Tables>,
  host: Pick<HostLinks, 'isPortFree'>,
  hosts: readonly (string | null)[] = [null],
): Promise<number> {
  const rows = await Promise.all(hosts.map((each) => interfaceRowsOn(db, each)))
  const used = new Set(rows.flat().map((row) => row.listen_port))
  for (let port = firstPort; port <= 65_535; port += 1) {
    if (!used.has(port) && (await host.isPortFree(port))) return port
  }
  throw conflict('listen_port', `No UDP port from ${firstPort} is free`)
}

/** Looks at a port before it counts as taken, and the pause between two, milliseconds: the system lends it to a query for a moment. */
const looks = 4
const lookPauseMs = 250

/** Returns true if the port is free, or is within a second. */
async function isUdpPortFree(port: number): Promise<boolean> {
  for (let look = 1; look < looks; look += 1) {
    if (!(await isUdpPortUsed(port))) return true
    await pause(lookPauseMs)
  }
  return !(await isUdpPortUsed(port))
}

/** Reads the sockets of the system: a try to listen would be in the way of another process that tries, too. */
async function isUdpPortUsed(port: number): Promise<boolean> {
  const tables = await Promise.all(['udp', 'udp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')))
  return tables.some((table) => usedPorts(table).has(port))
}

/** Local ports in a table of sockets as `/proc/net/udp` has it: after a line of titles, `address:port` in hex is the second column. */
function usedPorts(table: string): Set<number> {
  const lines = table.trim().split('\n').slice(1)
  return new Set(lines.map((line) => Number.parseInt(line.trim().split(/\s+/)[1]?.split(':')[1] ?? '', 16)))
}
