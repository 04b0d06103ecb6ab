import { EmptyState, PageHeader } from '@hearth/ui'
import { IconUsers } from '@tabler/icons-react'

/** Users; to be built. */
export function UsersPage() {
  return (
    <>
      <PageHeader title="Users" />
      <EmptyState icon={IconUsers} title="This page is being built" />
    </>
  )
}
