import type { NodePlace } from '../caddy/desired-state.ts'
import { adminListen, isLoopbackAddress, type AdminAddress } from './admin-address.ts'

/**
 * The admin block for a node: the one it runs with, so that a change does not move its endpoint. Without one Caddy's default
 * depends on its environment; then the address that works is written down.
 */
export function adminBlockOf(config: unknown, address: AdminAddress): NodePlace['admin'] {
  const running = (config as { admin?: { listen?: string; origins?: string[]; enforce_origin?: boolean } } | null)
    ?.admin
  if (running?.listen !== undefined) {
    const { listen, origins, enforce_origin: enforceOrigin } = running
    return { listen, ...(origins && { origins }), ...(enforceOrigin && { enforceOrigin }) }
  }
  if (address.kind === 'unix' || isLoopbackAddress(address.host)) return { listen: adminListen(address) }
  return { listen: `0.0.0.0:${address.port}`, origins: [adminListen(address)] }
}
