import { answer, changedValues, PageHeader, QueryState, SettingsForm, type SettingsSection } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { api, keys, readTimeSeries, type TimeSeriesView } from '../api.ts'
import { MetricPicker } from '../prometheus/metric-picker.tsx'
import { ConnectionTest } from '../connection/connection-test.tsx'
import { TimeSeriesStatus } from '../time-series/time-series-status.tsx'
import { changeOf, type TimeSeriesValues, valuesOf } from '../time-series/time-series-values.ts'
import '../prometheus/prometheus.css'

/** Settings and state of the time series. */
export function TimeSeriesPage() {
  const series = useQuery({ queryKey: keys.timeSeries, queryFn: readTimeSeries })
  return (
    <>
      <PageHeader
        title="Time series"
        description="Writes values to InfluxDB, VictoriaMetrics and others that take its line protocol."
      />
      <QueryState query={series} lines={8} />
      {series.data !== undefined && <TimeSeriesForm key={JSON.stringify(series.data.settings)} view={series.data} />}
    </>
  )
}

const isV2 = ({ api: version }: TimeSeriesValues) => version === 'v2'
const isV1 = ({ api: version }: TimeSeriesValues) => version === 'v1'
const kept = 'Leave empty to keep the stored one.'

const sectionsFor = ({ settings }: TimeSeriesView): readonly SettingsSection<TimeSeriesValues>[] => [
  {
    title: 'Server',
    fields: [
      { name: 'enabled', kind: 'switch', label: 'Write to a time-series database' },
      {
        name: 'url',
        kind: 'text',
        label: 'Address',
        placeholder: 'http://influxdb.local:8086',
        description: 'A server in your own network must be named in OUTBOUND_ALLOW',
      },
      {
        name: 'api',
        kind: 'select',
        label: 'Version',
        choices: { v2: 'InfluxDB 2 and 3', v1: 'InfluxDB 1, VictoriaMetrics' },
      },
      { name: 'organization', kind: 'text', label: 'Organization', when: isV2 },
      { name: 'bucket', kind: 'text', label: 'Bucket', when: isV2 },
      {
        name: 'token',
        kind: 'secret',
        label: 'Token',
        description: settings.has_token ? kept : 'It may write to the bucket, and needs no other right',
        when: isV2,
      },
      {
        name: 'database',
        kind: 'text',
        label: 'Database',
        description: 'Empty for VictoriaMetrics',
        when: isV1,
      },
      {
        name: 'username',
        kind: 'text',
        label: 'User name',
        description: 'Empty when the server wants none',
        when: isV1,
      },
      {
        name: 'password',
        kind: 'secret',
        label: 'Password',
        description: settings.has_password ? kept : '',
        when: (values) => isV1(values) && values.username.trim() !== '',
      },
    ],
  },
  {
    title: 'Points',
    fields: [
      {
        name: 'measurement',
        kind: 'text',
        label: 'Measurement',
        description: 'The tag device has the ID of the inverter',
      },
      {
        name: 'interval_seconds',
        kind: 'number',
        label: 'Interval',
        suffix: ' s',
        description: '5 to 3600 seconds between two readings. A value is written once for each reading.',
      },
      { name: 'precision', kind: 'select', label: 'Precision', choices: { s: 'Seconds', ms: 'Milliseconds' } },
      {
        name: 'buffer_mib',
        kind: 'number',
        label: 'Buffer',
        suffix: ' MiB',
        description: 'On disk, while the server is away. When it is full the oldest points go.',
      },
    ],
  },
]

function TimeSeriesForm({ view }: { view: TimeSeriesView }) {
  const initialValues = valuesOf(view)
  const form = useForm<TimeSeriesValues>({ initialValues })
  const values = form.getValues()
  const save = async () => {
    await answer(api.PUT('/admin/api/time-series', { body: changeOf(values) }))
    return { message: 'Time series settings saved' }
  }
  return (
    <div className="scraper-columns">
      <SettingsForm
        form={form}
        changes={changedValues(values, initialValues)}
        save={save}
        renew={[keys.timeSeries]}
        sections={sectionsFor(view)}
      >
        <TimeSeriesStatus status={view.status}>
          <ConnectionTest
            test={() => answer(api.POST('/admin/api/time-series/test', { body: changeOf(form.getValues()) }))}
            outcomeOf={({ is_ready: works, detail }) => ({ works, text: `${detail}.` })}
            disabled={values.url.trim() === ''}
          />
        </TimeSeriesStatus>
      </SettingsForm>
      <MetricPicker
        title="Written values"
        empty="Nothing is written. Start with battery_soc."
        names={values.metrics}
        error={form.errors['metrics'] as string | undefined}
        onChange={(names) => form.setFieldValue('metrics', names)}
      />
    </div>
  )
}
