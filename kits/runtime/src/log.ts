import { pino, type Logger } from 'pino'
import pretty from 'pino-pretty'

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

/**
 * The service's log on stderr: text on a terminal, one JSON object a line otherwise. Members with the names of secrets are
 * removed up to two levels deep; the rule for callers stays not to log them at all.
 */
export function createLog(options: { name: string; level: string }): Log {
  const redact = { paths: secretMembers.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), remove: true }
  const settings = { name: options.name, level: options.level, redact }
  if (process.stderr.isTTY) {
    return pino(
      settings,
      pretty({ destination: 2, sync: true, ignore: 'pid,hostname,name', translateTime: 'HH:MM:ss' }),
    )
  }
  return pino({ ...settings, base: { name: options.name } }, pino.destination({ fd: 2, sync: true }))
}
