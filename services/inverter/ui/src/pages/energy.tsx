import { PageHeader } from '@hearth/ui'

/** Stands in for the page. */
export function EnergyPage() {
  return <PageHeader title="Energy" />
}
