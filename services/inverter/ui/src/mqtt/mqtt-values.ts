import type { MqttChange, MqttView } from '../api.ts'

/** Values of the form. Empty secrets keep the stored ones. */
export interface MqttValues extends Record<string, unknown> {
  enabled: boolean
  url: string
  username: string
  password: string
  ca_certificate: string
  client_certificate: string
  client_key: string
  base_topic: string
  discovery_prefix: string
  metrics: string[]
  interval_seconds: number | string
  offers_controls: boolean
}

/** Returns the form of the stored settings. */
export function valuesOf({ settings }: Pick<MqttView, 'settings'>): MqttValues {
  const { has_password: _password, has_client_key: _key, ...values } = settings
  return { ...values, password: '', client_key: '' }
}

/** Returns the body that saves the form. A password goes with its user name, and a key with its certificate. */
export function changeOf(values: MqttValues): MqttChange {
  const { password, client_key: key, interval_seconds: seconds, ...rest } = values
  const secret = (text: string, companion: string) => (companion.trim() === '' ? null : text === '' ? undefined : text)
  const newPassword = secret(password, values.username)
  const newKey = secret(key, values.client_certificate)
  return {
    ...rest,
    url: values.url.trim(),
    interval_seconds: Number(seconds),
    ...(newPassword !== undefined && { password: newPassword }),
    ...(newKey !== undefined && { client_key: newKey }),
  }
}
