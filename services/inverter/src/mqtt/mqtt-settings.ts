import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import type { Catalog } from '../catalog/catalog.ts'
import { checkPublishedNames } from '../metrics/check-names.ts'
import { invalid } from '../problems.ts'
import { readSetting, writeSetting } from '../settings/store.ts'
import type { Tables } from '../tables.ts'
import type { BrokerAddress } from './broker/broker-connection.ts'
import { dashboardMetrics } from './entities/entity.ts'
import { MqttSettings, type MqttChange } from './schema.ts'

/** Settings of MQTT, in step with the database. Secrets are sealed and leave only to the broker. */
export type MqttSettingsStore = Awaited<ReturnType<typeof openMqttSettings>>

const Stored = z.object({
  settings: MqttSettings,
  password: z.string().nullable(),
  client_key: z.string().nullable(),
})
type Stored = z.infer<typeof Stored>

const setting = 'mqtt'
const placeOf = (name: 'password' | 'client_key') => `settings.mqtt:${name}`

/** Reads the settings; without stored ones MQTT is off. */
export async function openMqttSettings({ query }: Database<Tables>, sealer: Sealer, catalog: Catalog) {
  const found = Stored.safeParse(await readSetting(query, setting))
  let stored: Stored = found.success
    ? found.data
    : { settings: defaultSettings(catalog), password: null, client_key: null }

  const seal = (name: 'password' | 'client_key', given: string | null | undefined): string | null =>
    given === undefined ? stored[name] : given === null ? null : sealer.seal(given, placeOf(name))
  const open = (name: 'password' | 'client_key', sealed: string | null): string =>
    sealed === null ? '' : sealer.open(sealed, placeOf(name))

  /** Returns what would be stored; throws a problem that names the member that is wrong. */
  function next(change: MqttChange): Stored {
    const { password: newPassword, client_key: newKey, ...values } = change
    checkPublishedNames(values.metrics, catalog)
    if (values.enabled && values.url === '') throw invalid('url', 'is needed while MQTT is on')
    const isElsewhere = values.url !== '' && values.url !== stored.settings.url
    if (isElsewhere && newPassword === undefined && stored.password !== null)
      throw invalid('password', 'must be entered again, because the address of the broker has changed')
    const password = seal('password', newPassword)
    const key = seal('client_key', newKey)
    checkCertificates(values, open('client_key', key))
    if (password !== null && values.username === '') throw invalid('username', 'is needed with a password')
    const settings = { ...values, has_password: password !== null, has_client_key: key !== null }
    return { settings, password, client_key: key }
  }

  const addressIn = ({ settings, password, client_key }: Stored): BrokerAddress => ({
    url: settings.url,
    username: settings.username,
    password: open('password', password),
    caCertificate: settings.ca_certificate,
    clientCertificate: settings.client_certificate,
    clientKey: open('client_key', client_key),
  })

  return {
    current: (): MqttSettings => stored.settings,
    address: (): BrokerAddress => addressIn(stored),
    /** Returns the address that a change stands for, without storing it. */
    addressOf(change: MqttChange): BrokerAddress {
      if (change.url === '') throw invalid('url', 'is needed for a test')
      return addressIn(next(change))
    },
    async change(change: MqttChange): Promise<void> {
      const changed = next(change)
      await writeSetting(query, setting, changed)
      stored = changed
    },
  }
}

function defaultSettings({ roles }: Catalog): MqttSettings {
  const metrics = [...new Set([...roles.energyFlow, ...dashboardMetrics, ...roles.preselected])].slice(0, 64)
  return {
    enabled: false,
    url: '',
    username: '',
    ca_certificate: '',
    client_certificate: '',
    base_topic: 'hearth',
    discovery_prefix: 'homeassistant',
    metrics,
    interval_seconds: 30,
    offers_controls: false,
    has_password: false,
    has_client_key: false,
  }
}

type Certificates = Pick<MqttSettings, 'url' | 'ca_certificate' | 'client_certificate'>

function checkCertificates({ url, ca_certificate: ca, client_certificate: client }: Certificates, key: string): void {
  if (ca !== '') parseCertificate('ca_certificate', ca)
  const certificate = client === '' ? undefined : parseCertificate('client_certificate', client)
  if ((certificate === undefined) !== (key === ''))
    throw certificate === undefined
      ? invalid('client_certificate', 'is needed with a client key')
      : invalid('client_key', 'is needed with a client certificate')
  if (certificate !== undefined && !certificate.checkPrivateKey(parseKey(key)))
    throw invalid('client_key', 'does not belong to the client certificate')
  if ((ca !== '' || client !== '') && url.startsWith('mqtt:'))
    throw invalid('url', 'must begin with mqtts:// when certificates are used')
}

function parseCertificate(member: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch {
    throw invalid(member, 'is not a certificate that can be read')
  }
}

function parseKey(text: string) {
  try {
    return createPrivateKey(text)
  } catch {
    throw invalid(
      'client_key',
      'is not a private key that can be read; a key with a passphrase must be decrypted first',
    )
  }
}
