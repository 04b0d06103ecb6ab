import { isDeepStrictEqual } from 'node:util'
import {
  type Capabilities,
  capabilityProbes,
  oldestCapabilities,
  probeConfig,
  readProbe,
} from '../../caddy/capabilities.ts'
import type { AdminClient } from './admin-client.ts'

/** Capabilities of a node's Caddy, and the process they were found at. */
export interface KnownCapabilities {
  readonly capabilities: Capabilities
  /** Start time of the process; undefined where Caddy does not report it. */
  readonly processStart: string | undefined
}

/** Certainty that the same Caddy still runs, for one that does not report its start time. */
export type Doubt = 'same' | 'perhaps another' | 'another'

/**
 * Probes a Caddy whose capabilities are not known, or which may have been replaced by another version: one with another start
 * time, or of which that is to be feared. Returns what was known when it is the same process. Throws what the client throws.
 */
export async function currentCapabilities(
  client: AdminClient,
  known: KnownCapabilities | undefined,
  { admin, doubt }: { readonly admin: object; readonly doubt: Doubt },
): Promise<KnownCapabilities> {
  // Read before the probes: a process that comes during them is then noticed next time.
  const processStart = await client.processStart()
  if (known !== undefined && doubt !== 'another') {
    const isSame = processStart === undefined ? doubt === 'same' : processStart === known.processStart
    if (isSame) return known
  }
  return { capabilities: await probeCapabilities(client, admin), processStart }
}

/** Returns true when configurations for these two differ. A Caddy that was never probed counts as the oldest. */
export function areDifferent(before: Capabilities | undefined, after: Capabilities | undefined): boolean {
  return !isDeepStrictEqual(before ?? oldestCapabilities, after ?? oldestCapabilities)
}

/**
 * Detects the capabilities of a Caddy by a dry run of each; none of them goes live. `admin` is its own admin
 * block. Throws what the client throws.
 */
async function probeCapabilities(client: AdminClient, admin: object): Promise<Capabilities> {
  const found: Record<string, boolean> = { ...oldestCapabilities }
  for (const probe of capabilityProbes)
    found[probe.capability] = readProbe(await client.tryConfig(probeConfig(probe, admin))) ?? false
  return found as unknown as Capabilities
}
