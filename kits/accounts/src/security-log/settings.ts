import { wholeNumber } from '@hearth/runtime'

/** The settings of how long the security log is kept, for the schema of a service's settings. */
export const securityLogSettings = {
  SECURITY_LOG_DAYS: wholeNumber(1, 3650).default(365),
  SECURITY_LOG_ROWS: wholeNumber(100, 1_000_000).default(50_000),
}

/** How long events stay: at most so many days, and at most so many of them. */
export interface SecurityLogRetention {
  readonly days: number
  readonly rows: number
}

/** Returns the part of a service's configuration that its `securityLogSettings` say. */
export function securityLogConfig(settings: { SECURITY_LOG_DAYS: number; SECURITY_LOG_ROWS: number }): {
  securityLog: SecurityLogRetention
} {
  return { securityLog: { days: settings.SECURITY_LOG_DAYS, rows: settings.SECURITY_LOG_ROWS } }
}
