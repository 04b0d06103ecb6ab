import { z } from 'zod'
import { Label } from '../label-schema.ts'
import { domainList } from '../sites/schema.ts'

const timestamp = z.iso.datetime()
const settings = z.record(z.string().max(50), z.string().max(4096))

/** A DNS provider as the API returns it. */
export const DnsProviderView = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.string(),
    label: z.string().meta({ description: 'Name of the kind' }),
    settings: z.record(z.string(), z.string()).meta({ description: 'Without secrets' }),
    records: z
      .array(z.object({ name: z.string(), zone: z.string() }))
      .meta({ description: 'TXT records that were made through it and are still to be removed' }),
    created_at: timestamp,
    changed_at: timestamp,
  })
  .meta({ id: 'DnsProvider' })
export type DnsProviderView = z.infer<typeof DnsProviderView>

/** A kind of DNS provider with its settings, for forms. */
const DnsProviderKind = z
  .object({
    kind: z.string(),
    label: z.string(),
    fields: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        hint: z.string().nullable(),
        placeholder: z.string().nullable(),
        secret: z.boolean(),
        optional: z.boolean(),
        choices: z.array(z.string()).nullable(),
      }),
    ),
  })
  .meta({ id: 'DnsProviderKind' })

/** The DNS providers, and the kinds there are. */
export const DnsProviderList = z
  .object({ providers: z.array(DnsProviderView), kinds: z.array(DnsProviderKind) })
  .meta({ id: 'DnsProviderList' })

/** A DNS provider to set up. */
export const DnsProviderCreate = z
  .strictObject({
    name: Label,
    kind: z.string().max(50),
    settings: settings.meta({ description: 'As the kind needs them', writeOnly: true }),
  })
  .meta({ id: 'DnsProviderCreate' })
export type DnsProviderCreate = z.infer<typeof DnsProviderCreate>

/** A change of a DNS provider. */
export const DnsProviderChange = z
  .strictObject({
    name: Label.optional(),
    settings: settings
      .optional()
      .meta({ description: 'All settings; secrets that are left out or empty stay', writeOnly: true }),
  })
  .meta({ id: 'DnsProviderChange' })
export type DnsProviderChange = z.infer<typeof DnsProviderChange>

/** How a DNS provider is deleted. */
export const DnsProviderRemoval = z.object({
  leave_records: z.enum(['true', 'false']).optional().meta({
    description: 'True: TXT records that were made through it and are still to be removed are left there',
  }),
})

const OrderDomains = domainList(50)

/** Address of the directory of an authority. */
export const AcmeDirectory = z
  .url({ protocol: /^https$/, error: 'must be the https address of an ACME directory' })
  .max(2048)

/** A certificate to order. */
export const OrderCreate = z
  .strictObject({
    name: Label.meta({ description: 'By which sites and files refer to the certificate' }),
    domains: OrderDomains,
    provider_id: z.string().max(50),
    directory: AcmeDirectory.optional().meta({
      description: 'Directory of the authority; that of the settings when it is left out',
    }),
  })
  .meta({ id: 'CertificateOrderCreate' })
export type OrderCreate = z.infer<typeof OrderCreate>

/** A change of an order; members that are left out stay. */
export const OrderChange = z
  .strictObject({ domains: OrderDomains.optional(), provider_id: z.string().max(50).optional() })
  .refine((change) => Object.keys(change).length > 0, 'must change something')
  .meta({ id: 'CertificateOrderChange' })
export type OrderChange = z.infer<typeof OrderChange>

const RevocationReason = z.enum(['key_compromised', 'superseded', 'no_longer_used'])

/** What is revoked, and why. */
export const RevocationRequest = z
  .strictObject({
    reason: RevocationReason.meta({ description: 'As the authority publishes it (RFC 5280 section 5.3.1)' }),
    order_new_first: z.boolean().optional().meta({
      description:
        'True: a new certificate is ordered, and the present one is revoked when Caddy serves the new one. False: it is revoked at once, and not renewed any more. When it is left out: true while sites use the certificate',
    }),
  })
  .meta({ id: 'CertificateRevocationRequest' })
export type RevocationRequest = z.infer<typeof RevocationRequest>

/** The last revocation of a certificate of an order. */
const Revocation = z
  .object({
    state: z.enum(['waiting', 'due', 'revoked']).meta({
      description: '`waiting`: for the new certificate; `due`: the authority is asked, or Caddy has the old one still',
    }),
    reason: RevocationReason,
    serial_number: z.string().meta({ description: 'Of the certificate, hexadecimal' }),
    problem: z.string().nullable(),
    next_at: timestamp.nullable(),
    requested_at: timestamp,
    revoked_at: timestamp.nullable(),
  })
  .meta({ id: 'CertificateRevocation' })

/** How an order is, its step in words, and what went wrong. */
export const OrderView = z
  .object({
    id: z.string(),
    name: z.string(),
    domains: z.array(z.string()),
    provider_id: z.string(),
    directory: z.string(),
    certificate_id: z
      .int()
      .nullable()
      .meta({ description: 'Number of the certificate for sites; null before the first' }),
    state: z.enum(['working', 'waiting', 'valid', 'revoked']).meta({
      description:
        '`working`: a step is done or awaited; `waiting`: after a failure, until the next attempt; `valid`: nothing to do before the renewal; `revoked`: not renewed any more',
    }),
    step: z.enum([
      'idle',
      'revoked',
      'account',
      'order',
      'read',
      'publish',
      'spread',
      'validate',
      'finalize',
      'download',
    ]),
    text: z.string().meta({ description: 'The step in words' }),
    problem: z
      .object({
        code: z.string(),
        text: z.string(),
        advice: z.string().meta({ description: 'What to do' }),
        at: timestamp,
      })
      .nullable()
      .meta({
        description:
          'The last failure. That of a step goes when the step succeeds; that of a whole order stays while another one is tried',
      }),
    next_at: timestamp.nullable(),
    renew_at: timestamp.nullable(),
    not_after: timestamp.nullable(),
    history: z.array(z.object({ at: timestamp, tone: z.enum(['step', 'good', 'bad']), text: z.string() })),
    records: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          zone: z.string(),
          removing: z.boolean(),
          problem: z.string().nullable(),
        }),
      )
      .meta({ description: 'TXT records that stand at the provider' }),
    revocation: Revocation.nullable().meta({ description: 'The last one of this order' }),
    created_at: timestamp,
    changed_at: timestamp,
  })
  .meta({ id: 'CertificateOrder' })
export type OrderView = z.infer<typeof OrderView>

export const OrderList = z.object({ orders: z.array(OrderView) }).meta({ id: 'CertificateOrderList' })

/** Path parameter of one provider or order. */
export const IdParams = z.object({ id: z.string().min(1).max(50) })

/** Response to a deletion. */
export const Removed = z.object({ status: z.literal('deleted') }).meta({ id: 'OrderDeleted' })
