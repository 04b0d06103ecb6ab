import { PageHeader } from '@hearth/ui'

/** Stands in for the page. */
export function InvertersPage() {
  return <PageHeader title="Inverters" />
}
