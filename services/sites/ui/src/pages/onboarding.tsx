import { EmptyState, PageHeader } from '@hearth/ui'
import { IconPlugConnected } from '@tabler/icons-react'

/** Take over Caddy; to be built. */
export function OnboardingPage() {
  return (
    <>
      <PageHeader title="Take over Caddy" />
      <EmptyState icon={IconPlugConnected} title="This page is being built" />
    </>
  )
}
