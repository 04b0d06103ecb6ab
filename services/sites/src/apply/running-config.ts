import { createHash } from 'node:crypto'
import { canonicalJson } from '../caddy/canonical-json.ts'
import type { RunningConfig } from '../nodes/admin-client.ts'

/** SHA-256 of a configuration, hex; equal for what was sent and what Caddy gives back. */
export function hashConfig(config: unknown): string {
  return settleConfig(config).sha
}

/** A configuration as it is sent and kept: its text with sorted keys, and the SHA-256 of that. */
export interface SettledConfig {
  readonly text: string
  readonly sha: string
}

export function settleConfig(config: unknown): SettledConfig {
  const text = canonicalJson(config)
  return { text, sha: createHash('sha256').update(text).digest('hex') }
}

/**
 * Whether a Caddy runs a configuration. It writes what it was sent with sorted keys and some characters escaped, so that mostly
 * the texts are the same and nothing needs to be parsed.
 */
export function isRunning({ text, sha }: SettledConfig, running: Pick<RunningConfig, 'text' | 'config'>): boolean {
  return asCaddyWrites(text) === running.text.trimEnd() || hashConfig(running.config) === sha
}

const asCaddyWrites = (text: string): string =>
  text.replaceAll(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

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
