import { z } from 'zod'
import { severities } from '../message.ts'
import { NotificationRules } from '../rules/schema.ts'

const WebUrl = z
  .string()
  .max(2000)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    'must start with https:// or http://',
  )
  .refine(
    (text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''),
    'must hold no user name and no password',
  )
const HostName = z.string().regex(/^[A-Za-z0-9.:[\]-]{1,253}$/, 'must be a host name or an address')
/** No line breaks, which would end a header. */
const secretText = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
const Email = z.email('must be an e-mail address').max(254)

/** A secret that requests carry and answers never do. Left out, the stored one stays. */
const secret = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.optional().meta({ writeOnly: true, description: `${description}. Left out, the stored one stays.` })

const webhook = { kind: z.literal('webhook'), url: WebUrl }
const ntfy = {
  kind: z.literal('ntfy'),
  server: WebUrl,
  topic: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
}
const gotify = { kind: z.literal('gotify'), server: WebUrl }
const email = {
  kind: z.literal('email'),
  host: HostName,
  port: z.int().min(1).max(65_535),
  security: z.enum(['tls', 'starttls', 'none']).meta({
    description: 'TLS from the begin (usually port 465), STARTTLS required (587 or 25), or unencrypted',
  }),
  username: z.string().min(1).max(200).nullable().meta({ description: 'null for a server without sign-in' }),
  from: Email,
  to: z.array(Email).min(1).max(20),
}

const SigningSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,128}={0,2}$/, 'must be whsec_ and the base64 text of 24 to 96 bytes')
  .meta({ description: 'Key of the signature, as in Standard Webhooks' })

/** A destination's address and secrets, as a request has them. */
export const NotificationTargetValues = z
  .discriminatedUnion('kind', [
    z.object({ ...webhook, secret: secret(SigningSecret, 'Key of the signature: whsec_ and base64') }),
    z.object({ ...ntfy, token: secret(secretText.nullable(), 'Access token; null for none') }),
    z.object({ ...gotify, token: secret(secretText, 'Token of the application') }),
    z.object({ ...email, password: secret(secretText.nullable(), 'Password of the sign-in; null for none') }),
  ])
  .meta({ id: 'NotificationTargetValues' })
export type NotificationTargetValues = z.infer<typeof NotificationTargetValues>

const hasSecret = z.boolean().meta({ description: 'A token or password is stored' })

/** A destination's address without its secrets. */
export const NotificationTarget = z
  .discriminatedUnion('kind', [
    z.object({ ...webhook, has_secret: hasSecret }),
    z.object({ ...ntfy, has_secret: hasSecret }),
    z.object({ ...gotify, has_secret: hasSecret }),
    z.object({ ...email, has_secret: hasSecret }),
  ])
  .meta({ id: 'NotificationTarget' })
export type NotificationTarget = z.infer<typeof NotificationTarget>

/** Kinds of destinations. */
export type TargetKind = NotificationTarget['kind']

/** A destination to create, or all values of one to change. */
export const NotificationDestinationValues = z
  .object({
    name: z.string().trim().min(1).max(80),
    is_enabled: z.boolean(),
    target: NotificationTargetValues,
    rules: NotificationRules,
  })
  .meta({ id: 'NotificationDestinationValues' })
export type NotificationDestinationValues = z.infer<typeof NotificationDestinationValues>

/** A destination. */
export const NotificationDestination = z
  .object({
    id: z.string(),
    name: z.string(),
    is_enabled: z.boolean(),
    target: NotificationTarget,
    rules: NotificationRules,
    last_attempt_at: z.iso.datetime().nullable(),
    last_error: z.string().nullable().meta({ description: 'Reason why the last attempt failed; null when it did not' }),
    waiting: z.int().meta({ description: 'Messages that are not sent yet' }),
  })
  .meta({ id: 'NotificationDestination' })
export type NotificationDestination = z.infer<typeof NotificationDestination>

/** A class of events that destinations choose among. */
export const NotificationClass = z
  .object({
    id: z.string(),
    group: z.string(),
    label: z.string(),
    severity: z.enum(severities),
  })
  .meta({ id: 'NotificationClass' })

/** All destinations, and the event classes of the service. */
export const NotificationOverview = z
  .object({
    destinations: z.array(NotificationDestination),
    classes: z.array(NotificationClass),
    failed: z.int().meta({ description: 'Messages that were given up' }),
  })
  .meta({ id: 'NotificationOverview' })
export type NotificationOverview = z.infer<typeof NotificationOverview>

/** Outcome of a test message. */
export const NotificationTest = z
  .object({ is_delivered: z.boolean(), detail: z.string().meta({ description: 'What the server answered' }) })
  .meta({ id: 'NotificationTest' })
export type NotificationTest = z.infer<typeof NotificationTest>

/** A message that was given up. */
export const FailedNotification = z
  .object({
    id: z.string(),
    destination_id: z.string(),
    destination: z.string().meta({ description: 'Name of the destination' }),
    class: z.string(),
    severity: z.enum(severities),
    title: z.string(),
    attempts: z.int(),
    error: z.string(),
    created_at: z.iso.datetime(),
    failed_at: z.iso.datetime(),
  })
  .meta({ id: 'FailedNotification' })
export type FailedNotification = z.infer<typeof FailedNotification>

/** The messages that were given up, newest first, at most a hundred. */
export const FailedNotifications = z
  .object({ failures: z.array(FailedNotification), total: z.int() })
  .meta({ id: 'FailedNotifications' })
export type FailedNotifications = z.infer<typeof FailedNotifications>

/** Path parameter of a destination or a failed message. */
export const NotificationPath = z.object({ id: z.uuid('must be an id') })
