import { EmptyState, PageHeader } from '@hearth/ui'
import { IconLayoutDashboard } from '@tabler/icons-react'

/** Dashboard; to be built. */
export function DashboardPage() {
  return (
    <>
      <PageHeader title="Dashboard" />
      <EmptyState icon={IconLayoutDashboard} title="This page is being built" />
    </>
  )
}
