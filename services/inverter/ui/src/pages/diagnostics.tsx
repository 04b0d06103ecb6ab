import { PageHeader } from '@hearth/ui'

/** Stands in for the page. */
export function DiagnosticsPage() {
  return <PageHeader title="Diagnostics" />
}
