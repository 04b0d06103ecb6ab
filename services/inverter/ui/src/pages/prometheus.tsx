import { ApiError, changedValues, PageHeader, QueryState, SettingsForm, type SettingsSection } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { type GatewaySettings, keys, readSettings, saveSettings } from '../api.ts'
import { MetricPicker } from '../prometheus/metric-picker.tsx'
import '../prometheus/prometheus.css'
import { ScrapeSample } from '../prometheus/scrape-sample.tsx'
import { sourcesOf } from '../prometheus/scrape-config.ts'

/** Settings of the scraper endpoint. */
export function PrometheusPage() {
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  const stored = settings.data?.settings
  return (
    <>
      <PageHeader
        title="Prometheus"
        description="Values and counters at /metrics. A scrape never queries an inverter; it reads the cache."
      />
      <QueryState query={settings} lines={8} />
      {stored !== undefined && <ScraperForm key={JSON.stringify(stored)} stored={stored} />}
    </>
  )
}

interface ScraperValues extends Record<string, unknown> {
  metrics: string[]
  token_required: boolean
  sources: string
  requests_per_minute: number | string
}

const sections: readonly SettingsSection<ScraperValues>[] = [
  {
    title: 'Access',
    fields: [
      {
        name: 'token_required',
        kind: 'switch',
        label: 'Require a token',
        description: 'Any token from the Tokens page',
      },
      {
        name: 'sources',
        kind: 'lines',
        label: 'Trusted sources',
        description: 'Addresses or networks that can scrape without a token, one per line. Empty allows everyone.',
        when: ({ token_required: isRequired }) => !isRequired,
      },
      {
        name: 'requests_per_minute',
        kind: 'number',
        label: 'Scrapes per minute',
        description: '1 to 10000, from one address',
      },
    ],
  },
]

function ScraperForm({ stored }: { stored: GatewaySettings }) {
  const initialValues = { ...stored.scraper, sources: stored.scraper.sources.join('\n') }
  const form = useForm<ScraperValues>({ initialValues })
  const values = form.getValues()
  const save = () => {
    const requests_per_minute = Number(values.requests_per_minute)
    const scraper = { ...values, sources: sourcesOf(values.sources), requests_per_minute }
    return saveSettings({ ...stored, scraper }).catch(renameFields)
  }
  return (
    <div className="scraper-columns">
      <SettingsForm
        form={form}
        changes={changedValues(values, initialValues)}
        save={save}
        renew={[keys.settings]}
        sections={sections}
      >
        <MetricPicker
          names={values.metrics}
          error={form.errors['metrics'] as string | undefined}
          onChange={(names) => form.setFieldValue('metrics', names)}
        />
      </SettingsForm>
      <ScrapeSample isTokenRequired={stored.scraper.token_required} />
    </div>
  )
}

/** The server names members as `scraper.sources`; the form knows them as `sources`. */
function renameFields(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  const nameOf = (path: string) => path.replace(/^scraper\.?/, '') || 'metrics'
  const fields = error.fields.map((field) => Object.assign({}, field, { path: nameOf(field.path) }))
  const { message, status, kind, details, retryAfter } = error
  throw new ApiError(message, { status, kind, details: { ...details, fields }, retryAfter })
}
