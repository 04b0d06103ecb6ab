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

/** What a setting's value is; tests try wrong values of every setting by it. Enumerations need none. */
export type SettingKind =
  | 'address list'
  | 'directory list'
  | 'file'
  | 'header name'
  | 'host'
  | 'IP address'
  | 'network list'
  | 'number'
  | 'own form'
  | 'program'
  | 'secret'
  | 'text'
  | 'web address'

/** Metadata of a setting's schema that says what kind of value it reads. */
export function settingKind(kind: SettingKind): { readonly settingKind: SettingKind } {
  return { settingKind: kind }
}

/** A whole number in decimal digits from a variable. `rule` is the message for everything else. */
export function wholeNumber(
  least: number,
  most: number,
  rule = `must be a whole number from ${least} to ${most}`,
): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .refine((value) => value >= least && value <= most, rule)
    .meta(settingKind('number'))
}

/** A TCP or UDP port from a variable; 0 lets the system choose. */
export const portNumber = wholeNumber(0, 65_535, 'must be a port number from 0 to 65535')

/** A comma-separated list from a variable, blanks dropped. It has no default: each setting names its own. */
export const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

/** An http or https address from a variable. Credentials are refused, because addresses are shown and logged. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .refine((text) => !hasCredentials(text), 'must not contain a user name or a password')
  .meta(settingKind('web address'))

/** Whether an address holds a user name or a password. Addresses are shown and logged, so they must not. */
export function hasCredentials(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username + password !== ''
}

/** The path of a file or directory from a variable; a relative one starts at the working directory. */
export const filePath = z
  .string()
  .refine((text) => text.trim() !== '', 'must be a path')
  .meta(settingKind('file'))

/** An absolute path from a variable. */
export const absolutePath = z.string().regex(/^\//, 'must be an absolute path').meta(settingKind('file'))

/** The settings every service has, as the operating contract names them. */
export const commonSettings = {
  BIND_ADDRESS: z
    .union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' })
    .meta(settingKind('IP address'))
    .default('127.0.0.1'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .refine((text) => URL.canParse(text.replaceAll(' ', '%20')), 'must be an address such as postgres://USER@HOST/NAME')
    .meta(settingKind('own form'))
    .optional(),
  PUBLIC_URL: webAddress.optional(),
  FORWARDED_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be a header name')
    .meta(settingKind('header name'))
    .default('X-Forwarded-For'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
}
