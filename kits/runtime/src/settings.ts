import { z } from 'zod'
import { OperatorError } from './operator-error.ts'

/** The environment as a process sees it. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads a service's settings from the environment with one zod object whose keys are variable names. An empty variable
 * counts as not set. Throws an `OperatorError` that names the first wrong variable; its value is not repeated, because it
 * may be a secret.
 *
 * @example parseSettings(z.object({ BIND_PORT: portNumber.default(8101) }), process.env)
 */
export function parseSettings<S extends z.ZodObject>(schema: S, environment: Environment): z.infer<S> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const result = schema.safeParse(given)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new OperatorError(`${String(issue?.path[0] ?? 'settings')}: ${issue?.message ?? 'not valid'}`)
}

/** A TCP or UDP port from a variable; 0 lets the system choose. */
export const portNumber = z.coerce
  .number('must be a port number')
  .int('must be a port number')
  .min(0, 'must be from 0 to 65535')
  .max(65_535, 'must be from 0 to 65535')

/** A comma-separated list from a variable, blanks dropped. */
export const commaList = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .default([])

/** The settings every service has, as the operating contract names them. */
export const commonSettings = {
  BIND_ADDRESS: z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' }).default('127.0.0.1'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .optional(),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  TRUSTED_PROXIES: commaList,
  FORWARDED_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be a header name')
    .default('X-Forwarded-For'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
}
