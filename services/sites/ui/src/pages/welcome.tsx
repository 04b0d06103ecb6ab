import { EmptyState, PageHeader } from '@hearth/ui'
import { IconConfetti } from '@tabler/icons-react'

/** Welcome; to be built. */
export function WelcomePage() {
  return (
    <>
      <PageHeader title="Welcome" />
      <EmptyState icon={IconConfetti} title="This page is being built" />
    </>
  )
}
