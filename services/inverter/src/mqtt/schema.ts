import { z } from 'zod'
import { MetricName } from '../catalog/schema.ts'

/** Maximum length of a certificate or key in PEM, characters. */
const maxPem = 65_536

/** Address of a broker: `mqtt` or `mqtts`, a host, and a port if it is not the usual one. */
const brokerUrl = z
  .string()
  .trim()
  .max(300)
  .refine((text) => text === '' || isBrokerUrl(text), {
    error: 'must be mqtt://HOST or mqtts://HOST, with :PORT when it is not 1883 or 8883, and nothing else',
  })

const topic = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/, 'must be letters, digits, hyphens and underscores; / between levels')

const pem = (what: string) =>
  z
    .string()
    .trim()
    .max(maxPem)
    .refine((text) => text === '' || isPem(text, what), { error: `must be a ${what.toLowerCase()} in PEM form` })

const secret = { description: 'Never returned; left out it stays as it is, null removes it' }

const values = {
  enabled: z.boolean(),
  url: brokerUrl.meta({ description: 'mqtt://HOST or mqtts://HOST; empty while MQTT is off' }),
  username: z.string().max(256).meta({ description: 'Empty for none' }),
  ca_certificate: pem('CERTIFICATE').meta({
    description:
      'Certificates, PEM, that a broker with a private certificate is checked with; empty for the public ones',
  }),
  client_certificate: pem('CERTIFICATE').meta({ description: 'PEM; empty for none' }),
  base_topic: topic.meta({ description: 'First levels of all topics of this service' }),
  discovery_prefix: topic.meta({ description: 'The prefix that Home Assistant listens at' }),
  metrics: z.array(MetricName).max(64).meta({ description: 'Values that are published' }),
  interval_seconds: z.int().min(5).max(3600).meta({ description: 'Interval between two readings' }),
  offers_controls: z.boolean().meta({
    description: 'Takes commands for approved metrics and actions, and for the Energy Manager in mode external',
  }),
}

/** Settings of MQTT as they are changed. */
export const MqttChange = z
  .strictObject({
    ...values,
    password: z.string().min(1).max(1024).nullable().optional().meta(secret),
    client_key: pem('PRIVATE KEY').min(1).nullable().optional().meta(secret),
  })
  .meta({ id: 'MqttChange' })
export type MqttChange = z.output<typeof MqttChange>

/** Settings of MQTT without the secrets. */
export const MqttSettings = z
  .object({ ...values, has_password: z.boolean(), has_client_key: z.boolean() })
  .meta({ id: 'MqttSettings' })
export type MqttSettings = z.infer<typeof MqttSettings>

const timestamp = z.iso.datetime().nullable()
const count = z.int().min(0)

/** State of the connection to the broker. */
export const MqttStatus = z
  .object({
    state: z.enum(['off', 'connecting', 'connected', 'waiting']),
    since: timestamp.meta({ description: 'When the state began' }),
    last_error: z.string().nullable().meta({ description: 'Reason of the last failure; null while connected' }),
    next_attempt_at: timestamp,
    published: count.meta({ description: 'Messages published since the start' }),
    waiting: count.meta({ description: 'Messages that wait for the broker; the newest of each topic' }),
    commands_carried_out: count,
    commands_refused: count,
  })
  .meta({ id: 'MqttStatus' })
export type MqttStatus = z.infer<typeof MqttStatus>

/** Settings and state of MQTT as the administrator sees them. */
export const MqttView = z.object({ settings: MqttSettings, status: MqttStatus }).meta({ id: 'MqttView' })
export type MqttView = z.infer<typeof MqttView>

/** Result of a test of the connection. */
export const MqttTest = z.object({ is_connected: z.boolean(), detail: z.string() }).meta({ id: 'MqttTest' })
export type MqttTest = z.infer<typeof MqttTest>

function isBrokerUrl(text: string): boolean {
  if (!/^mqtts?:\/\/[^\s/?#@\\]+\/?$/.test(text) || !URL.canParse(text)) return false
  const { hostname, port, username, password } = new URL(text)
  return hostname !== '' && port !== '0' && username === '' && password === ''
}

function isPem(text: string, what: string): boolean {
  return new RegExp(`^-----BEGIN (?:[A-Z0-9]+ )*${what}-----[\\s\\S]+-----END (?:[A-Z0-9]+ )*${what}-----$`).test(text)
}
