import { z } from 'zod'

const email = z.email('must be an e-mail address').max(254)

/** Caddy fills in what stands in braces, secrets of its environment included. */
const placeholder = /\{[$\w]/

const controls = /[^\P{Cc}\t\n\r]/u

const maxPage = 16_384

/** Text of sites in maintenance, plain. */
const MaintenancePage = z
  .string()
  .refine((text) => new TextEncoder().encode(text).length <= maxPage, `must be at most ${maxPage} bytes`)
  .refine((text) => !controls.test(text), 'must be plain text without control characters')
  .refine((text) => !placeholder.test(text), 'must not contain placeholders such as {name}')

const noUserInfo = (text: string): boolean => {
  if (!URL.canParse(text)) return true
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** The directory of a certificate authority; empty for the one Caddy takes by itself. */
const AcmeDirectory = z.union([
  z.literal(''),
  z
    .url({ protocol: /^https?$/, error: 'must be the https address of an ACME directory' })
    .max(2048)
    .refine(noUserInfo, 'must not contain a user name'),
])

const retentionChoices = [0, 7, 14, 30, 90, 180, 365] as const

const oneLine = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')

/** Identity for the registration with SSL Labs; its e-mail must not be of a free provider. */
const SslLabsRegistration = z.object({
  first_name: oneLine(100),
  last_name: oneLine(100),
  email,
  organization: oneLine(200),
})

const members = {
  acme_email: z.union([z.literal(''), email]).meta({ description: 'Where the certificate authority writes to' }),
  acme_ca: AcmeDirectory.meta({ description: 'Directory of the certificate authority; empty for Let’s Encrypt' }),
  site_probe: z.boolean().meta({
    description: 'After an apply each changed site is asked once; without, sites are checked at the first server only',
  }),
  grade_source: z.enum(['local', 'ssllabs']),
  grade_schedule: z.enum(['off', 'daily', 'weekly']),
  grade_retention_days: z.literal(retentionChoices).meta({ description: '0 keeps grades for ever' }),
  allow_raw: z.boolean().meta({ description: 'Administrators may give a site Caddyfile directives of their own' }),
  maintenance_page: MaintenancePage,
  default_response: z
    .enum(['404', 'abort'])
    .meta({ description: 'What a host that no site has is answered; abort closes the connection' }),
}

/** The settings as the service works with them. */
export const Settings = z.object({ ...members, ssllabs: SslLabsRegistration.nullable() })
export type Settings = z.infer<typeof Settings>

/** The settings as they are read: the e-mail address of the registration only hinted at. */
export const SettingsView = z
  .object({
    ...members,
    ssllabs: SslLabsRegistration.omit({ email: true }).extend({ masked_email: z.string() }).nullable(),
  })
  .meta({ id: 'Settings' })
export type SettingsView = z.infer<typeof SettingsView>

/** A change; members that are left out stay. */
export const SettingsChange = z
  .strictObject({ ...members, ssllabs: z.strictObject(SslLabsRegistration.shape).nullable() })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must change at least one setting')
  .meta({ id: 'SettingsChange' })
export type SettingsChange = z.infer<typeof SettingsChange>

/** Settings of a new installation. */
export const defaultSettings: Settings = {
  acme_email: '',
  acme_ca: '',
  site_probe: true,
  grade_source: 'local',
  grade_schedule: 'weekly',
  grade_retention_days: 180,
  allow_raw: false,
  maintenance_page: 'This site is being worked on. Please come back later.',
  default_response: '404',
  ssllabs: null,
}

/** `a***@example.org` */
export function maskEmail(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, 1)}***${address.slice(at)}`
}

/** The settings without secrets. */
export function settingsView({ ssllabs, ...rest }: Settings): SettingsView {
  if (ssllabs === null) return { ...rest, ssllabs }
  const { email, ...registration } = ssllabs
  return { ...rest, ssllabs: { ...registration, masked_email: maskEmail(email) } }
}
