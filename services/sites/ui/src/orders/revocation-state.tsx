import { Alert } from '@mantine/core'
import { RelativeTime } from '@hearth/ui'
import { IconCertificateOff } from '@tabler/icons-react'
import type { Order } from './read-orders.ts'

/** A revocation that waits, and for what; nothing without one. */
export function PendingRevocation({ order: { revocation } }: { order: Order }) {
  if (revocation === null || revocation.state === 'revoked') return null
  return (
    <Alert color="yellow" icon={<IconCertificateOff aria-hidden />} title="The old certificate is about to be revoked">
      <p className="order-advice">
        {revocation.state === 'waiting'
          ? 'It is revoked once the new one is issued and Caddy serves it.'
          : (revocation.problem ?? 'The new one is issued.')}
      </p>
      {revocation.problem !== null && (
        <p className="order-advice">
          Next attempt: <RelativeTime value={revocation.next_at} />.
        </p>
      )}
    </Alert>
  )
}

/** When the last certificate was revoked, and which. */
export function LastRevocation({ order: { revocation } }: { order: Order }) {
  if (revocation === null || revocation.revoked_at === null) return '–'
  return (
    <>
      <RelativeTime value={revocation.revoked_at} />, serial number{' '}
      <span className="hearth-mono order-name">{revocation.serial_number}</span>
    </>
  )
}
