import { EmptyState, PageHeader } from '@hearth/ui'
import { IconSettings } from '@tabler/icons-react'

/** Settings; to be built. */
export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" />
      <EmptyState icon={IconSettings} title="This page is being built" />
    </>
  )
}
