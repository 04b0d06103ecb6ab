import { EmptyState, PageHeader } from '@hearth/ui'
import { IconHistory } from '@tabler/icons-react'

/** Revisions; to be built. */
export function RevisionsPage() {
  return (
    <>
      <PageHeader title="Revisions" />
      <EmptyState icon={IconHistory} title="This page is being built" />
    </>
  )
}
