import { StatusBadge, useNow } from '@hearth/ui'
import type { Order } from './read-orders.ts'

/** The state of an order in a few words. */
export function OrderBadge({ order }: { order: Order }) {
  const now = useNow()
  if (order.state === 'valid') return <StatusBadge tone="good">Valid</StatusBadge>
  if (order.state === 'revoked') return <StatusBadge tone="warn">Revoked</StatusBadge>
  if (order.state === 'working') return <StatusBadge tone="accent">{order.text}</StatusBadge>
  const isServed = order.not_after !== null && new Date(order.not_after) > now
  return <StatusBadge tone={isServed ? 'warn' : 'bad'}>{isServed ? 'Renewal failed' : 'Failed'}</StatusBadge>
}
