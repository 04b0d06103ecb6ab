import { createRequire } from 'node:module'
import { pino, type Logger } from 'pino'
import type PinoPretty from 'pino-pretty'

export type Log = Logger

/** Members that are never written out, wherever they stand in a logged object. */
const secretMembers = [
  'password',
  'token',
  'privateKey',
  'presharedKey',
  'private_key',
  'preshared_key',
  'authorization',
  'cookie',
]

/** Name, level and destination of a log. */
export interface LogOptions {
  readonly name: string
  readonly level: string
  /** `stdout` for text lines there, whatever it is; left out, the log goes to stderr. */
  readonly output?: 'stdout'
}

/** Tells whether people read stderr: it is a terminal, or what reads it writes to one (`hearth up` says so). */
const isRead = process.stderr.isTTY || process.env['HEARTH_TERMINAL'] === '1'

/**
 * The service's log on stderr: text on a terminal, one JSON object a line otherwise. Members with the names of secrets are
 * removed up to two levels deep; the rule for callers stays not to log them at all.
 */
export function createLog(options: LogOptions): Log {
  const redact = { paths: secretMembers.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), remove: true }
  const settings = { name: options.name, level: options.level, redact }
  if (options.output === 'stdout') return pino(settings, textTo(1))
  if (isRead) return pino(settings, textTo(2))
  return pino({ ...settings, base: { name: options.name } }, pino.destination({ fd: 2, sync: true }))
}

const load = createRequire(import.meta.url)

/** One line of text an entry, in colour on a terminal. */
function textTo(destination: 1 | 2) {
  // Loaded here, because only a terminal needs it.
  const pretty = load('pino-pretty') as typeof PinoPretty
  const colorize = destination === 1 ? process.stdout.isTTY : isRead
  return pretty({ destination, sync: true, colorize, ignore: 'pid,hostname,name', translateTime: 'HH:MM:ss' })
}
