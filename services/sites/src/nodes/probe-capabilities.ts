import {
  capabilityProbes,
  oldestCapabilities,
  probeConfig,
  readProbe,
  type Capabilities,
} from '../caddy/capabilities.ts'
import type { AdminClient } from './admin-client.ts'

/**
 * Finds out what a Caddy understands by asking it for a dry run of each thing; none of them goes live. `admin` is its own admin
 * block. Throws what the client throws.
 */
export async function probeCapabilities(client: AdminClient, admin: object): Promise<Capabilities> {
  const found: Record<string, boolean> = { ...oldestCapabilities }
  for (const probe of capabilityProbes)
    found[probe.capability] = readProbe(await client.tryConfig(probeConfig(probe, admin))) ?? false
  return found as unknown as Capabilities
}
