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
