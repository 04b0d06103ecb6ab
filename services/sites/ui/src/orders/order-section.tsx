import { Group } from '@mantine/core'
import { type Column, DataTable, EmptyState, RelativeTime, Section, tableAnswer } from '@hearth/ui'
import { IconCertificate2, IconPlus, IconWorldCog } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { IconButton } from '../controls/icon-button.tsx'
import { OrderDialog } from './order-dialog.tsx'
import { OrderBadge } from './order-words.tsx'
import { type Order, useOrders } from './read-orders.ts'

/** Certificates that the service orders by DNS and renews. */
export function OrderSection() {
  const orders = useOrders()
  const [isOrdering, setOrdering] = useState(false)
  const [, go] = useLocation()
  const actions = (
    <Group gap="xs">
      <IconButton icon={IconWorldCog} size="xs" onClick={() => go('/certificates/dns')}>
        DNS providers
      </IconButton>
      <IconButton icon={IconPlus} size="xs" onClick={() => setOrdering(true)}>
        Order
      </IconButton>
    </Group>
  )
  return (
    <Section title="Ordered by DNS" actions={actions}>
      <DataTable
        label="Ordered certificates"
        columns={columns}
        rowKey={({ id }) => id}
        answer={tableAnswer(orders, orders.data?.orders)}
        empty={
          <EmptyState icon={IconCertificate2} title="No certificate is ordered by DNS">
            Order one for wildcards, and for names that the internet cannot reach. It is renewed by itself.
          </EmptyState>
        }
      />
      {isOrdering && (
        <OrderDialog onClose={() => setOrdering(false)} onOrdered={(id) => go(`/certificates/orders/${id}`)} />
      )}
    </Section>
  )
}

const columns: readonly Column<Order>[] = [
  {
    key: 'name',
    header: 'Name',
    role: 'title',
    render: ({ id, name }) => (
      <Link href={`/certificates/orders/${id}`} className="hearth-link">
        {name}
      </Link>
    ),
  },
  { key: 'state', header: 'State', render: (order) => <OrderBadge order={order} /> },
  { key: 'names', header: 'For', render: ({ domains }) => domains.join(', ') },
  { key: 'expires', header: 'Expires', render: ({ not_after: end }) => <RelativeTime value={end} absent="–" /> },
  { key: 'renews', header: 'Renews', render: ({ renew_at: at }) => <RelativeTime value={at} absent="–" /> },
]
