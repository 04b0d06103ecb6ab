import { PageHeader } from '@hearth/ui'

/** Stands in for the page. */
export function AboutPage() {
  return <PageHeader title="About" />
}
