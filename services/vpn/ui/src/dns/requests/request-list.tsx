import { answer, RelativeTime, StatusBadge, useAction } from '@hearth/ui'
import { Anchor, Button } from '@mantine/core'
import {
  IconBan,
  IconCheck,
  IconClock,
  IconHelpCircle,
  IconTrash,
  IconUsers,
  IconUserShield,
} from '@tabler/icons-react'
import { Link } from 'wouter'
import { api, keys, type NameRequest } from '../../api.ts'
import { RowMenu } from '../../sections/row-menu.tsx'
import { useQuestion } from '../explain/use-question.ts'

/** Queries to read again after a request was answered. */
export const requestRenewals = [keys.dnsRequests, keys.dnsRules, keys.dnsProfiles, keys.explanation]

interface RequestListProps {
  requests: readonly NameRequest[]
  onRefuse: (request: NameRequest) => void
}

/** Requests with their answers, and the buttons to give one. */
export function RequestList({ requests, onRefuse }: RequestListProps) {
  return (
    <ul className="request-list" aria-label="Requests">
      {requests.map((request) => (
        <li key={request.id} className="request-card" aria-label={`${request.domain} for ${request.peer}`}>
          <RequestHead request={request} />
          {request.status === 'open' && <RequestAnswers request={request} onRefuse={onRefuse} />}
          <RequestMenu request={request} />
        </li>
      ))}
    </ul>
  )
}

const forWhom = { peer: 'the device', profile: 'its profile', everyone: 'everyone' } as const

function RequestHead({ request }: { request: NameRequest }) {
  const { domain, peer, peer_id: id, reason, note, created_at: asked, answer: word, answered_by: by } = request
  return (
    <div className="request-text">
      <h2>{domain}</h2>
      <p>
        <Anchor component={Link} href={`/peers/${id}`} fz="inherit" underline="always">
          {peer}
        </Anchor>
        , <RelativeTime value={asked} />
      </p>
      {reason !== '' && <p className="hearth-dimmed wrap-anywhere">{reason}</p>}
      {note !== '' && <blockquote>{note}</blockquote>}
      <p>
        <RequestStatus request={request} />
        {request.answered_at !== null && (
          <>
            {' '}
            by {by ?? 'someone'}, <RelativeTime value={request.answered_at} />
          </>
        )}
      </p>
      {word !== '' && <p className="wrap-anywhere">You answered: {word}</p>}
    </div>
  )
}

function RequestStatus({ request: { status, allowed_for: scope } }: { request: NameRequest }) {
  if (status === 'open')
    return (
      <StatusBadge tone="warn" icon={IconClock}>
        Waiting
      </StatusBadge>
    )
  return (
    <StatusBadge tone={status === 'allowed' ? 'good' : 'bad'} icon={status === 'allowed' ? IconCheck : IconBan}>
      {status === 'allowed' ? `Allowed for ${forWhom[scope ?? 'peer']}` : 'Refused'}
    </StatusBadge>
  )
}

function useAllow(id: string) {
  return useAction<'peer' | 'profile' | 'everyone', { message: string }>({
    run: (scope) =>
      answer(
        api.POST('/api/dns/requests/{id}/answer', { params: { path: { id } }, body: { allow_for: scope, answer: '' } }),
      ),
    renew: requestRenewals,
  })
}

function RequestAnswers({ request, onRefuse }: { request: NameRequest; onRefuse: (request: NameRequest) => void }) {
  const allow = useAllow(request.id)
  const { profile } = request
  return (
    <div className="request-answers">
      <Button loading={allow.isPending} onClick={() => allow.mutate('peer')}>
        Allow for this device
      </Button>
      {profile !== null && (
        <Button
          variant="default"
          className="request-scope"
          leftSection={<IconUserShield size={16} aria-hidden />}
          disabled={allow.isPending}
          onClick={() => allow.mutate('profile')}
        >
          For profile {profile.name}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconUsers size={16} aria-hidden />}
        disabled={allow.isPending}
        onClick={() => allow.mutate('everyone')}
      >
        For everyone
      </Button>
      <Button variant="default" disabled={allow.isPending} onClick={() => onRefuse(request)}>
        Refuse
      </Button>
    </div>
  )
}

function RequestMenu({ request: { id, domain, peer } }: { request: NameRequest }) {
  const { explain } = useQuestion()
  const remove = useAction<void, { message: string }>({
    run: () => answer(api.DELETE('/api/dns/requests/{id}', { params: { path: { id } } })),
    renew: requestRenewals,
  })
  return (
    <RowMenu
      label={`More for ${domain}`}
      entries={[
        { label: 'Explain this name', icon: IconHelpCircle, onClick: () => explain({ domain, client: peer }) },
        { label: 'Delete request', icon: IconTrash, onClick: () => remove.mutate(), isDestructive: true },
      ]}
    />
  )
}
