import { RelativeTime, Section, StatusBadge, type Tone } from '@hearth/ui'
import { IconPlugConnectedX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Notice } from '../page-elements.tsx'
import './connection.css'

/** The state of a connection to a server, why it failed, what is known of it, and below what can be done. */
export function ConnectionSection({
  status,
  badge: { tone, text },
  test,
  children,
}: {
  status: { readonly last_error: string | null; readonly next_attempt_at: string | null }
  badge: { tone: Tone; text: string }
  test: ReactNode
  children: ReactNode
}) {
  return (
    <Section title="Connection" actions={<StatusBadge tone={tone}>{text}</StatusBadge>}>
      {status.last_error !== null && (
        <Notice color="red" icon={IconPlugConnectedX} mb={12}>
          {status.last_error}.{' '}
          {status.next_attempt_at !== null && (
            <>
              Next attempt <RelativeTime value={status.next_attempt_at} />.
            </>
          )}
        </Notice>
      )}
      {children}
      <div className="connection-test">{test}</div>
    </Section>
  )
}
