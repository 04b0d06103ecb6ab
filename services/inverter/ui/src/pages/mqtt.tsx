import { answer, changedValues, PageHeader, QueryState, SettingsForm, type SettingsSection } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type MqttView, readMqtt } from '../api.ts'
import { ConnectionTest } from '../connection/connection-test.tsx'
import { MqttStatus } from '../mqtt/mqtt-status.tsx'
import { changeOf, type MqttValues, valuesOf } from '../mqtt/mqtt-values.ts'
import { MetricPicker } from '../prometheus/metric-picker.tsx'
import '../prometheus/prometheus.css'

/** Settings and state of MQTT. */
export function MqttPage() {
  const mqtt = useQuery({ queryKey: keys.mqtt, queryFn: readMqtt })
  return (
    <>
      <PageHeader
        title="MQTT"
        description="Publishes values to an MQTT broker. Home Assistant finds each inverter by itself."
      />
      <QueryState query={mqtt} lines={8} />
      {mqtt.data !== undefined && <MqttForm key={JSON.stringify(mqtt.data.settings)} view={mqtt.data} />}
    </>
  )
}

const isSecure = ({ url }: MqttValues) => url.trim().startsWith('mqtts:')
const kept = 'Leave empty to keep the stored one.'

const sectionsFor = ({ settings }: MqttView): readonly SettingsSection<MqttValues>[] => [
  {
    title: 'Broker',
    fields: [
      { name: 'enabled', kind: 'switch', label: 'Publish to an MQTT broker' },
      {
        name: 'url',
        kind: 'text',
        label: 'Address',
        placeholder: 'mqtts://homeassistant.local',
        description: 'mqtt:// or mqtts:// with TLS, and a port when it is not 1883 or 8883',
      },
      { name: 'username', kind: 'text', label: 'User name', description: 'Empty when the broker wants none' },
      {
        name: 'password',
        kind: 'secret',
        label: 'Password',
        description: settings.has_password ? kept : '',
        when: ({ username }) => username.trim() !== '',
      },
      {
        name: 'ca_certificate',
        kind: 'lines',
        label: 'CA certificate',
        placeholder: '-----BEGIN CERTIFICATE-----',
        description: 'PEM. Only for a broker with a certificate of a private authority, or its own.',
        when: isSecure,
      },
      {
        name: 'client_certificate',
        kind: 'lines',
        label: 'Client certificate',
        placeholder: '-----BEGIN CERTIFICATE-----',
        description: 'PEM. Only for a broker that wants one.',
        when: isSecure,
      },
      {
        name: 'client_key',
        kind: 'lines',
        label: 'Client key',
        placeholder: '-----BEGIN PRIVATE KEY-----',
        description: settings.has_client_key ? `PEM. ${kept}` : 'PEM, without a passphrase. It is not shown again.',
        when: (values) => isSecure(values) && values.client_certificate.trim() !== '',
      },
    ],
  },
  {
    title: 'Home Assistant',
    fields: [
      {
        name: 'offers_controls',
        kind: 'switch',
        label: 'Offer controls',
        description:
          'Everyone who may publish to the broker can then write approved metrics, trigger approved actions, and control the battery in mode external. Write access must be on.',
      },
      {
        name: 'discovery_prefix',
        kind: 'text',
        label: 'Discovery prefix',
        description: 'As in Home Assistant’s MQTT settings',
      },
      {
        name: 'base_topic',
        kind: 'text',
        label: 'Base topic',
        description: 'Another one for each Hearth at the same broker',
      },
      {
        name: 'interval_seconds',
        kind: 'number',
        label: 'Interval',
        suffix: ' s',
        description: '5 to 3600 seconds between two readings. A value is published when it has changed.',
      },
    ],
  },
]

function MqttForm({ view }: { view: MqttView }) {
  const initialValues = valuesOf(view)
  const form = useForm<MqttValues>({ initialValues })
  const values = form.getValues()
  const save = async () => {
    await answer(api.PUT('/admin/api/mqtt', { body: changeOf(values) }))
    return { message: 'MQTT settings saved' }
  }
  return (
    <div className="scraper-columns">
      <SettingsForm
        form={form}
        changes={changedValues(values, initialValues)}
        save={save}
        renew={[keys.mqtt]}
        sections={sectionsFor(view)}
      >
        <MqttStatus status={view.status}>
          <ConnectionTest
            test={() => answer(api.POST('/admin/api/mqtt/test', { body: changeOf(form.getValues()) }))}
            outcomeOf={({ is_connected: works, detail }) => ({ works, text: `${detail}.` })}
            disabled={values.url.trim() === ''}
          />
        </MqttStatus>
      </SettingsForm>
      <MetricPicker
        title="Published values"
        empty="Home Assistant gets only the state of the connection. Start with battery_soc."
        names={values.metrics}
        error={form.errors['metrics'] as string | undefined}
        onChange={(names) => form.setFieldValue('metrics', names)}
      />
    </div>
  )
}
