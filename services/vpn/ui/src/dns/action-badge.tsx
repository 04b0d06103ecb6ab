import { StatusBadge } from '@hearth/ui'
import { IconBan, IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** Badge for what blocks or allows names, and for names that are blocked or allowed; `children` is the text. */
export function ActionBadge({ action, children }: { action: 'block' | 'allow'; children: ReactNode }) {
  return (
    <StatusBadge tone={action === 'block' ? 'bad' : 'good'} icon={action === 'block' ? IconBan : IconCheck}>
      {children}
    </StatusBadge>
  )
}
