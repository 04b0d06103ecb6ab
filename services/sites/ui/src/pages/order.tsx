import { Alert } from '@mantine/core'
import {
  answer,
  ApiError,
  ConfirmDelete,
  EmptyState,
  Fact,
  formatTimestamp,
  PageHeader,
  QueryState,
  RelativeTime,
  Section,
  useAction,
  useDocumentTitle,
} from '@hearth/ui'
import { IconAlertTriangle, IconBan, IconCertificateOff, IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { api, keys } from '../api.ts'
import { useUploads } from '../certificates/read-certificates.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { BackLink } from '../navigation/back-link.tsx'
import { OrderDialog } from '../orders/order-dialog.tsx'
import { OrderBadge } from '../orders/order-words.tsx'
import { type Order, useDnsProviders, useOrder } from '../orders/read-orders.ts'
import { LastRevocation, PendingRevocation } from '../orders/revocation-state.tsx'
import { RevokeDialog } from '../orders/revoke-dialog.tsx'
import '../certificates/certificates.css'
import '../orders/orders.css'

/** One ordered certificate: its step now, what went wrong and what to do, and everything that happened. */
export function OrderPage() {
  const { id } = useParams<{ id: string }>()
  const order = useOrder(id)
  if (order.data !== undefined) return <OneOrder order={order.data} />
  if (order.error instanceof ApiError && [400, 404].includes(order.error.status)) return <NoSuchOrder />
  return <QueryState query={order} lines={6} />
}

function NoSuchOrder() {
  return (
    <EmptyState icon={IconCertificateOff} title="There is no such certificate" heading="h1">
      It was deleted. <Link href="/certificates">All certificates</Link>
    </EmptyState>
  )
}

function OneOrder({ order }: { order: Order }) {
  const [dialog, setDialog] = useState<'change' | 'revoke' | 'remove'>()
  const close = () => setDialog(undefined)
  const [, go] = useLocation()
  const usedBy = useUsedBy(order)
  const { revocation } = order
  useDocumentTitle(order.name, 'Sites')
  return (
    <>
      <BackLink href="/certificates">Certificates</BackLink>
      <PageHeader
        title={order.name}
        description={order.domains.join(', ')}
        actions={
          <>
            <RunNow order={order} />
            <IconButton icon={IconPencil} onClick={() => setDialog('change')}>
              Change
            </IconButton>
            {order.certificate_id !== null && order.state !== 'revoked' && (
              <IconButton icon={IconBan} onClick={() => setDialog('revoke')}>
                {revocation === null || revocation.state === 'revoked' ? 'Revoke' : 'Revoke now'}
              </IconButton>
            )}
            <IconButton icon={IconTrash} onClick={() => setDialog('remove')}>
              Delete
            </IconButton>
          </>
        }
      />
      <div className="hearth-stack">
        {order.problem !== null && <ProblemOf order={order} />}
        <PendingRevocation order={order} />
        <Facts order={order} usedBy={usedBy} />
        <Records order={order} />
        <History order={order} />
      </div>
      {dialog === 'change' && <OrderDialog of={order} onClose={close} />}
      {dialog === 'revoke' && <RevokeDialog order={order} usedBy={usedBy} onClose={close} />}
      {dialog === 'remove' && <RemoveOrder order={order} onClose={close} onDone={() => go('/certificates')} />}
    </>
  )
}

function RunNow({ order }: { order: Order }) {
  const run = useAction({
    run: () => answer(api.POST('/api/certificate-orders/{id}/run', { params: { path: { id: order.id } } })),
    done: () => runWords[order.state].done,
    renew: [keys.orders],
  })
  if (order.state === 'working' || order.problem?.code === 'rate-limited') return null
  return (
    <IconButton variant="filled" icon={IconRefresh} loading={run.isPending} onClick={() => run.mutate()}>
      {runWords[order.state].label}
    </IconButton>
  )
}

const trying = { label: 'Try now', done: 'The step is tried now' }
const runWords: Readonly<Record<Order['state'], { label: string; done: string }>> = {
  valid: { label: 'Renew now', done: 'The renewal begins' },
  revoked: { label: 'Order again', done: 'A new certificate is ordered' },
  waiting: trying,
  working: trying,
}

/** Ids of the sites that use the certificate of an order. */
function useUsedBy({ certificate_id: number }: Order): readonly number[] {
  const uploads = useUploads(number !== null)
  return uploads.data?.certificates.find(({ id }) => id === number)?.used_by ?? []
}

function ProblemOf({ order: { state, problem, next_at: next, not_after: end } }: { order: Order }) {
  if (problem === null) return null
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={problem.text}>
      <p className="order-advice">{problem.advice}</p>
      <p className="order-advice">
        {state === 'working' ? (
          'Another attempt is under way.'
        ) : (
          <>
            Next attempt: <RelativeTime value={next} />.
          </>
        )}{' '}
        {end !== null && (
          <>
            The certificate in use stays; it expires <RelativeTime value={end} />.
          </>
        )}
      </p>
    </Alert>
  )
}

function Facts({ order, usedBy }: { order: Order; usedBy: readonly number[] }) {
  const { data } = useDnsProviders()
  const provider = data?.providers.find(({ id }) => id === order.provider_id)
  return (
    <Section title="Certificate">
      <dl className="hearth-facts" data-start>
        <Fact name="State">
          <OrderBadge order={order} />
        </Fact>
        <Fact name="Expires">
          <RelativeTime value={order.not_after} absent="–" />
        </Fact>
        <Fact name="Renews">
          <RelativeTime value={order.renew_at} absent="–" />
        </Fact>
        {order.revocation !== null && order.revocation.state === 'revoked' && (
          <Fact name="Revoked">
            <LastRevocation order={order} />
          </Fact>
        )}
        <Fact name="DNS provider">{provider?.name ?? '–'}</Fact>
        <Fact name="Authority">{new URL(order.directory).host}</Fact>
        <Fact name="Used by">
          {order.certificate_id === null
            ? 'Sites can choose it once it is issued'
            : usedBy.length === 0
              ? 'No site: choose it in a site under TLS, “Own”'
              : usedBy.map((id) => (
                  <Link key={id} href={`/sites/${id}`} className="hearth-link order-site">
                    Site {id}
                  </Link>
                ))}
        </Fact>
      </dl>
    </Section>
  )
}

function Records({ order: { records } }: { order: Order }) {
  if (records.length === 0) return null
  return (
    <Section title="TXT records at the provider">
      <ul className="plain-list">
        {records.map(({ id, name, zone, removing, problem }) => (
          <li key={id}>
            <span className="hearth-mono order-name">{name}</span>
            <small>
              {removing ? 'To be removed' : 'Needed for the proof'}, zone {zone}
              {problem !== null && `. ${problem}`}
            </small>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function History({ order: { history, state, text } }: { order: Order }) {
  return (
    <Section title="Steps">
      <ol className="order-steps" aria-live="polite">
        {history.toReversed().map(({ at, tone, text: words }, index) => (
          <li
            key={`${at} ${words}`}
            data-tone={tone}
            aria-current={index === 0 && state === 'working' ? 'step' : undefined}
          >
            <time dateTime={at}>{formatTimestamp(new Date(at))}</time>
            <span>{words}</span>
          </li>
        ))}
      </ol>
      {state === 'working' && <p className="order-now">Now: {text}…</p>}
    </Section>
  )
}

function RemoveOrder({ order, onClose, onDone }: { order: Order; onClose: () => void; onDone: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${order.name}?`}
      verb="Delete"
      losses={['The certificate with its key, and its renewal', 'While sites use it, this is refused']}
      action={{
        run: () => answer(api.DELETE('/api/certificate-orders/{id}', { params: { path: { id: order.id } } })),
        done: () => `${order.name} is deleted`,
        renew: [keys.orders, keys.certificates],
        onDone,
      }}
    />
  )
}
