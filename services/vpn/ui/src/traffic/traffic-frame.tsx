import { PageHeader } from '@hearth/ui'
import type { ReactNode } from 'react'
import { SectionTabs } from '../sections/section-tabs.tsx'

const tabs = [
  { href: '/traffic', label: 'Over time' },
  { href: '/traffic/countries', label: 'Countries' },
  { href: '/traffic/networks', label: 'Networks' },
]

/** What the pages on traffic have around them. */
export function TrafficFrame({ description, children }: { description: string; children: ReactNode }) {
  return (
    <>
      <PageHeader title="Traffic" description={description} />
      <SectionTabs label="Traffic" tabs={tabs} />
      {children}
    </>
  )
}
