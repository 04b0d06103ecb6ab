import { NumberInput, Switch, Textarea } from '@mantine/core'
import { applyFieldProblems, ErrorState, LoadingLines, PageHeader, Section, SaveBar } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type GatewaySettings, keys, readSettings } from '../api.ts'
import { MetricPicker } from '../prometheus/metric-picker.tsx'
import '../prometheus/prometheus.css'
import { ScrapeSample } from '../prometheus/scrape-sample.tsx'
import { sourcesOf } from '../prometheus/scrape-config.ts'
import { useSaveSettings } from '../settings/use-save-settings.ts'

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
      {stored === undefined && settings.error === null && <LoadingLines lines={8} />}
      {stored === undefined && settings.error !== null && (
        <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
      )}
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

function ScraperForm({ stored }: { stored: GatewaySettings }) {
  const [problem, setProblem] = useState<string>()
  const { scraper } = stored
  const form = useForm<ScraperValues>({ initialValues: { ...scraper, sources: scraper.sources.join('\n') } })
  const values = form.getValues()
  const save = useSaveSettings((error) => setProblem(applyFieldProblems(withoutPrefix(form), error) ?? undefined))
  const submit = form.onSubmit(({ metrics, token_required, sources, requests_per_minute }) => {
    setProblem(undefined)
    save.mutate({
      ...stored,
      scraper: {
        metrics,
        token_required,
        sources: sourcesOf(sources),
        requests_per_minute: Number(requests_per_minute),
      },
    })
  })
  return (
    <div className="scraper-columns">
      <form onSubmit={submit} noValidate className="hearth-stack">
        <MetricPicker
          names={values.metrics}
          error={form.errors['metrics'] as string | undefined}
          onChange={(names) => form.setFieldValue('metrics', names)}
        />
        <Section title="Access">
          <div className="hearth-stack">
            <Switch
              label="Require a token"
              description="Any token from the Tokens page"
              {...form.getInputProps('token_required', { type: 'checkbox' })}
            />
            <Textarea
              label="Trusted sources"
              description="Addresses or networks that can scrape without a token, one per line. Empty allows everyone."
              autosize
              minRows={2}
              disabled={values.token_required}
              {...form.getInputProps('sources')}
            />
            <NumberInput
              label="Scrapes per minute"
              description="1 to 10000, from one address"
              min={1}
              max={10_000}
              clampBehavior="none"
              {...form.getInputProps('requests_per_minute')}
            />
          </div>
        </Section>
        <SaveBar
          count={Object.keys(values).filter((name) => form.isDirty(name)).length}
          isSaving={save.isPending}
          problem={problem}
          onDiscard={() => form.reset()}
        />
      </form>
      <ScrapeSample isTokenRequired={scraper.token_required} />
    </div>
  )
}

/** The server names members as `scraper.sources`; the form knows them without their head. */
function withoutPrefix(form: { getValues(): ScraperValues; setFieldError(path: string, error: string): void }) {
  const names = Object.keys(form.getValues()).map((name) => [`scraper.${name}`, name])
  return {
    getValues: () => ({ ...form.getValues(), ...Object.fromEntries(names), scraper: '' }),
    setFieldError: (path: string, error: string) =>
      form.setFieldError(path.replace(/^scraper\.?/, '') || 'metrics', error),
  }
}
