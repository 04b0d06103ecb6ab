import { createHash } from 'node:crypto'
import { canonicalJson } from '../caddy/canonical-json.ts'

/** SHA-256 of a configuration, hex; equal for what was sent and what Caddy gives back. */
export function hashConfig(config: unknown): string {
  return createHash('sha256').update(canonicalJson(config)).digest('hex')
}

/** Whether a Caddy serves nothing: it has just started, or was never configured. */
export function isBlank(config: unknown): boolean {
  const { apps = {} } = (config ?? {}) as { apps?: object }
  return Object.keys(apps).every((app) => app === 'pki')
}

/**
 * The hash by which a configuration that was taken over is known when it comes back, because Caddy was restarted with its own
 * file. Null for one that another service of this kind has made: when that comes back, it was applied again over there.
 */
export function baselineOf(config: unknown): string | null {
  return /"@id":"site-\d/.test(JSON.stringify(config) ?? '') ? null : hashConfig(config)
}
