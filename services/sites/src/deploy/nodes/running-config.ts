import { createHash } from 'node:crypto'
import { parseJson } from '@hearth/runtime'
import { canonicalJson, joinedJson } from '../../caddy/canonical-json.ts'
import type { RunningConfig } from './admin-client.ts'

/** Returns the SHA-256 of a configuration, hex; equal for the configuration sent and the one Caddy returns. */
export function hashConfig(config: unknown): string {
  return shaOf(canonicalJson(config))
}

const shaOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A configuration as sent and stored: its text with sorted keys, and the SHA-256 of that text, hex. */
export interface SettledConfig {
  readonly text: string
  readonly sha: string
}

/** Returns the text and hash of a compiled configuration; the order of its keys makes no difference. */
export function settleConfig(config: unknown): SettledConfig {
  const text = joinedJson(config)
  return { text, sha: shaOf(text) }
}

/**
 * Returns true when a Caddy runs a configuration. Caddy writes it with sorted keys and some characters escaped, so mostly
 * the texts are equal and nothing needs to be parsed.
 */
export function isRunning({ text, sha }: SettledConfig, running: Pick<RunningConfig, 'text' | 'config'>): boolean {
  return asCaddyWrites(text) === running.text.trimEnd() || hashConfig(running.config) === sha
}

const asCaddyWrites = (text: string): string =>
  text.replaceAll(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns true when a Caddy serves nothing: it has just started, or was never configured. */
export function isBlank(config: unknown): boolean {
  const { apps = {} } = (config ?? {}) as { apps?: object }
  return Object.keys(apps).every((app) => app === 'pki')
}

/**
 * Returns the hash of an imported configuration, by which it is recognised when Caddy restarts with its own file. Null
 * for a configuration made by another installation of this service: when that returns, it was applied again there.
 */
export function baselineOf(config: unknown): string | null {
  return /"@id":"site-\d/.test(JSON.stringify(config) ?? '') ? null : hashConfig(config)
}

/** Maximum depth of a configuration; Caddy's own have about twenty levels. */
const maxLevels = 200

/** A JSON object whose members are not known. */
type Members = Readonly<Record<string, unknown>>

/**
 * Reads what an admin endpoint says it runs: an object or null, with the members this service reads in their right types, and
 * no deeper than can be walked through. Undefined for anything else: then it is no Caddy.
 */
export function readRunning(text: string): { readonly config: object | null } | undefined {
  const config = parseJson(text)
  if (config === null) return { config }
  if (!isMembers(config) || isDeep(config)) return undefined
  const { admin, apps } = config
  return isOptional(apps, isMembers) && isOptional(admin, isAdminBlock) ? { config } : undefined
}

function isAdminBlock(value: unknown): boolean {
  if (!isMembers(value)) return false
  const { listen, origins } = value
  return isOptional(listen, isText) && isOptional(origins, (list) => Array.isArray(list) && list.every(isText))
}

/** Returns true for an object that is no list. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isText = (value: unknown): value is string => typeof value === 'string'

const isOptional = (value: unknown, isRight: (value: unknown) => boolean): boolean =>
  value === undefined || isRight(value)

/** Walks level by level, because a recursion could exhaust the stack. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxLevels) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}
