import { PageHeader } from '@hearth/ui'

/** Stands in for the page. */
export function PrometheusPage() {
  return <PageHeader title="Prometheus" />
}
