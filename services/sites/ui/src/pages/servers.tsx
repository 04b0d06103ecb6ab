import { EmptyState, PageHeader } from '@hearth/ui'
import { IconServer2 } from '@tabler/icons-react'

/** Servers; to be built. */
export function ServersPage() {
  return (
    <>
      <PageHeader title="Servers" />
      <EmptyState icon={IconServer2} title="This page is being built" />
    </>
  )
}
