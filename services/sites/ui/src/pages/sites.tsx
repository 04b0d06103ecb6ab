import { EmptyState, PageHeader } from '@hearth/ui'
import { IconWorldWww } from '@tabler/icons-react'

/** Sites; to be built. */
export function SitesPage() {
  return (
    <>
      <PageHeader title="Sites" />
      <EmptyState icon={IconWorldWww} title="This page is being built" />
    </>
  )
}
