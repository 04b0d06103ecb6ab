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

/** Kind of a setting's value; tests try wrong values of every setting by it. Enumerations need none. */
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
  min: number,
  max: number,
  rule = `must be a whole number from ${min} to ${max}`,
): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule)
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

/** True when an address holds a user name or a password. Addresses are shown and logged, so they must not. */
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

/** Level of the log from a variable. */
export const logLevel = z
  .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    error: 'must be one of fatal, error, warn, info, debug, trace, silent',
  })
  .default('info')
