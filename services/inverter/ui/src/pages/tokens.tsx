import { PageHeader } from '@hearth/ui'

/** Stands in for the page. */
export function TokensPage() {
  return <PageHeader title="Tokens" />
}
