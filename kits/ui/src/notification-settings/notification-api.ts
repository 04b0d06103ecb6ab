/** Severities, least first. */
export type Severity = 'info' | 'warning' | 'critical'

/** A destination's address without its secrets. */
export type NotificationTarget =
  | { kind: 'webhook'; url: string; has_secret: boolean }
  | { kind: 'ntfy'; server: string; topic: string; has_secret: boolean }
  | { kind: 'gotify'; server: string; has_secret: boolean }
  | {
      kind: 'email'
      host: string
      port: number
      security: 'tls' | 'starttls' | 'none'
      username: string | null
      from: string
      to: string[]
      has_secret: boolean
    }

/** A destination's address as it is sent; a secret that is left out stays. */
export type NotificationTargetValues =
  | { kind: 'webhook'; url: string; secret?: string }
  | { kind: 'ntfy'; server: string; topic: string; token?: string | null }
  | { kind: 'gotify'; server: string; token?: string }
  | {
      kind: 'email'
      host: string
      port: number
      security: 'tls' | 'starttls' | 'none'
      username: string | null
      password?: string | null
      from: string
      to: string[]
    }

/** Rules of a destination. */
export interface NotificationRules {
  classes: string[] | null
  minimum_severity: Severity
  time_zone: string
  quiet_hours: { from: string; to: string } | null
  digest: { every: 'message' } | { every: 'hour' } | { every: 'day'; at: string }
}

/** A destination as the API lists it. */
export interface NotificationDestination {
  id: string
  name: string
  is_enabled: boolean
  target: NotificationTarget
  rules: NotificationRules
  last_attempt_at: string | null
  last_error: string | null
  waiting: number
}

/** All values of a destination, as they are sent. */
export interface NotificationDestinationValues {
  name: string
  is_enabled: boolean
  target: NotificationTargetValues
  rules: NotificationRules
}

/** A class of events. */
export interface NotificationClass {
  id: string
  group: string
  label: string
  severity: Severity
}

/** A message that was given up. */
export interface FailedNotification {
  id: string
  destination: string
  severity: Severity
  title: string
  attempts: number
  error: string
  failed_at: string
}

/** Calls of a service for its notifications. */
export interface NotificationApi {
  overview(): Promise<{ destinations: NotificationDestination[]; classes: NotificationClass[]; failed: number }>
  create(values: NotificationDestinationValues): Promise<NotificationDestination>
  change(id: string, values: NotificationDestinationValues): Promise<NotificationDestination>
  remove(id: string): Promise<unknown>
  test(id: string): Promise<{ is_delivered: boolean; detail: string }>
  failures(): Promise<{ failures: FailedNotification[]; total: number }>
  sendAgain(id: string): Promise<unknown>
  dismiss(id: string): Promise<unknown>
}

/** Names of the cached answers. */
export const notificationKeys = {
  overview: ['notifications', 'overview'],
  failures: ['notifications', 'failures'],
} as const

/** Everything that a change makes stale. */
export const renewNotifications = [['notifications']] as const
