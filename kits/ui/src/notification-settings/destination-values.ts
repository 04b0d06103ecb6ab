import { ApiError } from '../api-error.ts'
import type {
  NotificationClass,
  NotificationDestination,
  NotificationDestinationValues,
  NotificationRules,
  NotificationTarget,
  NotificationTargetValues,
  Severity,
} from './notification-api.ts'

export type TargetKind = NotificationTarget['kind']

/** Values of the form, all of them texts and switches; each kind of destination uses some. */
export interface DestinationForm extends Record<string, unknown> {
  name: string
  is_enabled: boolean
  kind: TargetKind
  url: string
  secret: string
  server: string
  topic: string
  token: string
  host: string
  port: number | string
  security: 'tls' | 'starttls' | 'none'
  username: string
  password: string
  from: string
  /** Addresses separated by commas. */
  to: string
  chosen: 'all' | 'some'
  classes: string[]
  minimum_severity: Severity
  time_zone: string
  is_quiet: boolean
  quiet_from: string
  quiet_to: string
  digest: NotificationRules['digest']['every']
  digest_at: string
}

/** Names of the kinds, as people know them. */
export const kindNames: Readonly<Record<TargetKind, string>> = {
  webhook: 'Webhook',
  ntfy: 'ntfy',
  gotify: 'Gotify',
  email: 'E-mail',
}

/** Makes the key of a new webhook: 32 random bytes in the form of Standard Webhooks. */
export function newSigningSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `whsec_${btoa(String.fromCodePoint(...bytes))}`
}

/** The form for a new destination. */
export function blankForm(timeZone: string): DestinationForm {
  return {
    name: '',
    is_enabled: true,
    kind: 'webhook',
    url: '',
    secret: newSigningSecret(),
    server: '',
    topic: '',
    token: '',
    host: '',
    port: 587,
    security: 'starttls',
    username: '',
    password: '',
    from: '',
    to: '',
    chosen: 'all',
    classes: [],
    minimum_severity: 'info',
    time_zone: timeZone,
    is_quiet: false,
    quiet_from: '22:00',
    quiet_to: '07:00',
    digest: 'message',
    digest_at: '08:00',
  }
}

/** The form of a stored destination; secrets are empty. */
export function formOf(destination: NotificationDestination): DestinationForm {
  const { name, is_enabled, target, rules } = destination
  const { classes, minimum_severity, time_zone, quiet_hours: quiet, digest } = rules
  const blank = { ...blankForm(time_zone), secret: '' }
  return {
    ...blank,
    name,
    is_enabled,
    ...addressOf(target),
    chosen: classes === null ? 'all' : 'some',
    classes: classes ?? [],
    minimum_severity,
    is_quiet: quiet !== null,
    quiet_from: quiet?.from ?? blank.quiet_from,
    quiet_to: quiet?.to ?? blank.quiet_to,
    digest: digest.every,
    digest_at: digest.every === 'day' ? digest.at : blank.digest_at,
  }
}

function addressOf(target: NotificationTarget): Partial<DestinationForm> & Pick<DestinationForm, 'kind'> {
  if (target.kind !== 'email') return target
  const { kind, host, port, security, username, from, to } = target
  return { kind, host, port, security, username: username ?? '', from, to: to.join(', ') }
}

/** The values to send; secrets that were left empty stay as they are stored. */
export function valuesOf(form: DestinationForm): NotificationDestinationValues {
  return { name: form.name.trim(), is_enabled: form.is_enabled, target: targetOf(form), rules: rulesOf(form) }
}

function targetOf(form: DestinationForm): NotificationTargetValues {
  const token = form.token === '' ? {} : { token: form.token }
  switch (form.kind) {
    case 'webhook':
      return { kind: 'webhook', url: form.url.trim(), ...(form.secret === '' ? {} : { secret: form.secret.trim() }) }
    case 'ntfy':
      return { kind: 'ntfy', server: form.server.trim(), topic: form.topic.trim(), ...token }
    case 'gotify':
      return { kind: 'gotify', server: form.server.trim(), ...token }
    case 'email':
      return {
        kind: 'email',
        host: form.host.trim(),
        port: Number(form.port),
        security: form.security,
        username: form.username === '' ? null : form.username,
        ...(form.password === '' ? {} : { password: form.password }),
        from: form.from.trim(),
        to: form.to.split(/[,;\s]+/).filter(Boolean),
      }
  }
}

function rulesOf(form: DestinationForm): NotificationRules {
  return {
    classes: form.chosen === 'all' ? null : form.classes,
    minimum_severity: form.minimum_severity,
    time_zone: form.time_zone.trim(),
    quiet_hours: form.is_quiet ? { from: form.quiet_from, to: form.quiet_to } : null,
    digest: form.digest === 'day' ? { every: 'day', at: form.digest_at } : { every: form.digest },
  }
}

/** Inputs whose name is not the last part of the member's path. */
const inputNames: Readonly<Record<string, string>> = {
  'rules.quiet_hours.from': 'quiet_from',
  'rules.quiet_hours.to': 'quiet_to',
  'rules.digest.at': 'digest_at',
}

/** Returns the server's error with its problems at the inputs of the form. */
export function atInputs(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.fields.length === 0) return error
  const fields = error.fields.map(({ path, ...rest }) => {
    const parts = path.split('.').filter((part) => !/^\d+$/.test(part))
    return { ...rest, path: inputNames[parts.join('.')] ?? parts.at(-1) ?? '' }
  })
  return new ApiError(error.message, { status: error.status, kind: error.kind, details: { fields } })
}

/** Says where a destination's messages go. */
export function addressText(target: NotificationTarget): string {
  switch (target.kind) {
    case 'webhook':
      return target.url
    case 'ntfy':
      return `${new URL(target.server).host}/${target.topic}`
    case 'gotify':
      return new URL(target.server).host
    case 'email':
      return target.to.join(', ')
  }
}

/** Says which events a destination gets. */
export function eventsText(
  { classes, minimum_severity: least }: NotificationRules,
  all: readonly NotificationClass[],
): string {
  const from = least === 'info' ? '' : `, ${severityNames[least].toLowerCase()}${least === 'critical' ? '' : ' and up'}`
  if (classes === null) return `All events${from}`
  const labels = all.filter(({ id }) => classes.includes(id)).map(({ label }) => label)
  if (labels.length === 0) return 'None'
  return `${labels.length > 2 ? `${labels.length} of ${all.length} events` : labels.join(', ')}${from}`
}

/** Says when a destination's messages are sent. */
export function timesText({ digest, quiet_hours: quiet }: NotificationRules): string {
  const text = digest.every === 'day' ? `Daily at ${digest.at}` : digest.every === 'hour' ? 'Hourly' : 'At once'
  return quiet === null ? text : `${text}, quiet ${quiet.from}–${quiet.to}`
}

/** Names of the severities. */
export const severityNames: Readonly<Record<Severity, string>> = {
  info: 'Info',
  warning: 'Warning',
  critical: 'Critical',
}
