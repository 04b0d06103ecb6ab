import type { TimeSeriesChange, TimeSeriesView } from '../api.ts'

/** Values of the form. Empty secrets keep the stored ones. */
export interface TimeSeriesValues extends Record<string, unknown> {
  enabled: boolean
  url: string
  api: TimeSeriesChange['api']
  organization: string
  bucket: string
  token: string
  database: string
  username: string
  password: string
  measurement: string
  metrics: string[]
  interval_seconds: number | string
  precision: TimeSeriesChange['precision']
  buffer_mib: number | string
}

/** Returns the form of the stored settings. */
export function valuesOf({ settings }: Pick<TimeSeriesView, 'settings'>): TimeSeriesValues {
  const { has_token: _token, has_password: _password, ...values } = settings
  return { ...values, token: '', password: '' }
}

/** Returns the body that saves the form. A password goes with its user name. */
export function changeOf(values: TimeSeriesValues): TimeSeriesChange {
  const { token, password, interval_seconds: seconds, buffer_mib: buffer, ...rest } = values
  const newPassword = values.username.trim() === '' ? null : password === '' ? undefined : password
  return {
    ...rest,
    url: values.url.trim(),
    organization: values.organization.trim(),
    bucket: values.bucket.trim(),
    database: values.database.trim(),
    interval_seconds: Number(seconds),
    buffer_mib: Number(buffer),
    ...(token !== '' && { token }),
    ...(newPassword !== undefined && { password: newPassword }),
  }
}
