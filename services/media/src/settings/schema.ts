import { z } from 'zod'
import { defaultTemplates, parseTemplate } from '../naming/name-template.ts'

const switchValue = z.boolean('must be true or false')

const numberValue = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`
  return z.int(rule).min(min, rule).max(max, rule)
}

/** Order in which downloads go to make room. */
export const StorageRule = z
  .enum(['last_used', 'oldest', 'largest'], 'must be last_used, oldest or largest')
  .meta({ description: 'What goes first to make room: the longest unused, the oldest or the largest' })
export type StorageRule = z.infer<typeof StorageRule>

const hostRule = 'must be a host name or an IP address without scheme, port and path'

/** A host name or IP address as links have it; empty for the address of the request. */
const Hostname = z
  .string(hostRule)
  .trim()
  .max(253, hostRule)
  .refine(
    (host) =>
      host === '' ||
      z.union([z.ipv4(), z.ipv6()]).safeParse(host).success ||
      /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i.test(host),
    hostRule,
  )

/** A template of file names, checked. */
export const NameTemplate = z
  .string('must be a text')
  .trim()
  .superRefine((text, context) => {
    try {
      parseTemplate(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
    }
  })
  .meta({
    description: 'For new downloads; `{title}` is a field, `[_{bpm}bpm]` is left out where the field is not known',
  })

const tempoRule = 'must be 0 or a whole number from 40 to 110'

/** Every setting: its rule, and its value in a fresh install. */
const table = {
  retention_days: [numberValue(0, 365).meta({ description: 'Files older than this are deleted; 0 keeps them' }), 0],
  storage_budget_bytes: [
    numberValue(0, 1_000_000_000_000_000).meta({ description: 'Most that stored files may take; 0 is without limit' }),
    0,
  ],
  storage_rule: [StorageRule, 'last_used'],
  enable_authentication: [switchValue, false],
  session_idle_minutes: [numberValue(1, 1440), 60],
  download_concurrent_fragments: [numberValue(0, 16).meta({ description: '0 sizes it to the host' }), 0],
  download_worker_count: [
    numberValue(0, 8).meta({ description: '0 sizes it to the host; counts from the next start' }),
    0,
  ],
  list_spacing_seconds: [
    numberValue(0, 3600).meta({ description: 'Between two downloads from lists of the same platform' }),
    15,
  ],
  download_timeout_minutes: [numberValue(1, 240), 60],
  transcode_timeout_minutes: [numberValue(1, 480), 120],
  download_max_filesize_gib: [numberValue(1, 100), 4],
  download_compatible_output: [switchValue, false],
  video_watermark: [switchValue, false],
  audio_analysis_max_minutes: [
    numberValue(0, 240).meta({ description: 'The tempo of longer audio is not looked for; 0 always looks for it' }),
    15,
  ],
  audio_analysis_timeout_minutes: [numberValue(1, 60), 5],
  tempo_range_from: [
    z
      .int(tempoRule)
      .max(110, tempoRule)
      .refine((bpm) => bpm === 0 || bpm >= 40, tempoRule)
      .meta({ description: 'Tempi are doubled or halved into the octave from here; 0 leaves them as they are felt' }),
    0,
  ],
  stemsvc_duration_guard: [switchValue.meta({ description: 'Refuses to separate more than ten minutes' }), true],
  stemsvc_max_download_gib: [numberValue(1, 100), 4],
  share_link_max_uses: [numberValue(0, 10_000).meta({ description: 'For new links; 0 is unlimited' }), 0],
  share_link_expire_days: [numberValue(0, 365).meta({ description: 'For new links; 0 is never' }), 0],
  name_template_audio: [NameTemplate, defaultTemplates.audio],
  name_template_video: [NameTemplate, defaultTemplates.video],
  public_hostname: [Hostname, ''],
} as const satisfies Readonly<Record<string, readonly [z.ZodType, unknown]>>

const columnOf = (column: 0 | 1) => Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row[column]]))
const members = columnOf(0) as { readonly [Name in keyof typeof table]: (typeof table)[Name][0] }

/** Settings that can be read and written. */
export const Settings = z.object(members).meta({ id: 'Settings' })
export type Settings = z.infer<typeof Settings>

const switchWords = new Map<unknown, boolean>([
  ...['true', '1', 'yes', 'on', 1].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off', 0].map((word) => [word, false] as const),
])

/** Converts the texts that forms and scripts send for a switch or a number; leaves anything else unchanged. */
function meant(value: unknown, schema: z.ZodType): unknown {
  const plain = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (schema instanceof z.ZodBoolean) return switchWords.get(plain) ?? value
  if (schema instanceof z.ZodNumber && typeof plain === 'string' && /^-?\d{1,15}$/.test(plain)) return Number(plain)
  return value
}

const accepted = Object.fromEntries(
  Object.entries(members).map(([name, schema]) => [name, z.preprocess((value) => meant(value, schema), schema)]),
) as unknown as typeof members

const pairRule = 'must be sent together with the other one of admin_username and admin_password'

/** A change: unknown keys are ignored, everything is checked before anything is written. */
export const SettingsChange = z
  .object({
    ...accepted,
    admin_username: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, underscores or hyphens'),
    admin_password: z
      .string()
      .min(8, 'must have at least 8 characters')
      .max(1024, 'must have at most 1024 characters')
      .meta({ format: 'password' }),
  })
  .partial()
  .refine((change) => change.admin_username === undefined || change.admin_password !== undefined, {
    path: ['admin_username'],
    error: pairRule,
  })
  .refine((change) => change.admin_password === undefined || change.admin_username !== undefined, {
    path: ['admin_password'],
    error: pairRule,
  })
  .meta({ id: 'SettingsChange' })
export type SettingsChange = z.infer<typeof SettingsChange>

/** Settings of a fresh install. */
export const defaultSettings = columnOf(1) as Settings

/** Answer to a change of the settings. */
export const SettingsAnswer = z
  .object({
    ok: z.literal(true),
    message: z.string(),
    redirect: z.literal('/login').optional().meta({ description: 'Sign-in is needed from now on' }),
  })
  .meta({ id: 'SettingsAnswer' })
export type SettingsAnswer = z.infer<typeof SettingsAnswer>

const length = z.int().nullable()

/** The picture laid over videos: whether it is one's own, and what it is like. */
export const Logo = z
  .object({
    custom: z.boolean(),
    width: length,
    height: length,
    bytes: length,
    fingerprint: z.string().nullable(),
  })
  .meta({ id: 'Logo' })
export type Logo = z.infer<typeof Logo>

export const LogoRemoved = Logo.extend({ removed: z.boolean() }).meta({ id: 'LogoRemoved' })
