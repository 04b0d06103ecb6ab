import { EmptyState, PageHeader } from '@hearth/ui'
import { IconUserCircle } from '@tabler/icons-react'

/** Account; to be built. */
export function AccountPage() {
  return (
    <>
      <PageHeader title="Account" />
      <EmptyState icon={IconUserCircle} title="This page is being built" />
    </>
  )
}
