import { EmptyState, PageHeader } from '@hearth/ui'
import { IconCertificate } from '@tabler/icons-react'

/** Certificates; to be built. */
export function CertificatesPage() {
  return (
    <>
      <PageHeader title="Certificates" />
      <EmptyState icon={IconCertificate} title="This page is being built" />
    </>
  )
}
