import { Button, Group, Menu, Text } from '@mantine/core'
import { answer, formatCount, RelativeTime, StatusBadge, useAction } from '@hearth/ui'
import { IconCheck, IconChevronDown } from '@tabler/icons-react'
import { Link } from 'wouter'
import { api, type Hint, keys } from '../api.ts'
import { HintEvidence } from './hint-evidence.tsx'
import { answerHint, type HintAnswer } from './hint-queries.ts'
import { expectedChoices, kindAdvice, kindNames } from './hint-words.ts'

/** A hint with its evidence, what one can do about it, and how it is answered. */
export function HintCard({ hint }: { hint: Hint }) {
  const isOpen = hint.status === 'open'
  return (
    <li className="hearth-card hint" aria-label={hint.title}>
      <div className="hint-head">
        <StatusBadge tone={isOpen ? 'warn' : 'quiet'}>{kindNames[hint.kind]}</StatusBadge>
        <span className="hearth-dimmed">
          <RelativeTime value={hint.last_at} />
        </span>
      </div>
      <h2 className="hint-title">{hint.title}</h2>
      <Text size="sm" c="dimmed">
        Found {formatCount(hint.count, 'time')}, first <RelativeTime value={hint.first_at} />
      </Text>
      <HintEvidence evidence={hint.evidence} />
      {isOpen ? (
        <>
          <Text size="sm">{kindAdvice[hint.kind]}</Text>
          <div className="hint-actions">
            <Group gap="xs">{hint.subject.exists && <Remedies hint={hint} />}</Group>
            <Answers hint={hint} />
          </div>
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {hint.status === 'done' ? 'Done' : 'Expected'}, said by {hint.answered_by ?? 'somebody'}{' '}
          <RelativeTime value={hint.answered_at} />
        </Text>
      )}
    </li>
  )
}

function Remedies({ hint }: { hint: Hint }) {
  const { subject, evidence } = hint
  if (subject.type === 'list')
    return (
      <>
        <LinkButton href="/dns/lists">Open lists</LinkButton>
        <SwitchOff hint={hint} />
      </>
    )
  const client = encodeURIComponent(subject.name)
  return (
    <>
      <LinkButton href={`/peers/${subject.id}`}>
        {evidence.kind === 'tunnelling' ? 'Open peer' : 'Open peer to make a new key'}
      </LinkButton>
      {evidence.kind === 'tunnelling' && (
        <LinkButton href={`/dns/log?client=${client}&q=${encodeURIComponent(evidence.domain)}`}>See queries</LinkButton>
      )}
      <SwitchOff hint={hint} />
    </>
  )
}

function LinkButton({ href, children }: { href: string; children: string }) {
  return (
    <Button size="xs" variant="default" component={Link} href={href}>
      {children}
    </Button>
  )
}

/** Disables the peer or the list. */
function SwitchOff({ hint: { subject } }: { hint: Hint }) {
  const off = useAction<void, { message: string }>({
    run: () => {
      const params = { path: { id: subject.id } }
      const body = { enabled: false }
      return subject.type === 'peer'
        ? answer(api.PUT('/api/peers/{id}', { params, body }))
        : answer(api.PUT('/api/dns/blocklists/{id}', { params, body }))
    },
    renew: [keys.peers, keys.blocklists, keys.overview, keys.dnsStatus],
  })
  return (
    <Button size="xs" variant="default" loading={off.isPending} disabled={off.isSuccess} onClick={() => off.mutate()}>
      {subject.type === 'peer' ? 'Disable peer' : 'Switch list off'}
    </Button>
  )
}

function Answers({ hint }: { hint: Hint }) {
  const answering = useAction<HintAnswer, { message: string }>({
    run: (given) => answerHint(hint, given),
    renew: [keys.hints],
  })
  const choices = expectedChoices(hint)
  return (
    <Group gap="xs">
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            disabled={answering.isPending}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            Expected
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => answering.mutate({ answer: 'expected', scope: 'subject' })}>
            {choices.subject}
          </Menu.Item>
          {choices.topic !== undefined && (
            <Menu.Item onClick={() => answering.mutate({ answer: 'expected', scope: 'topic' })}>
              {choices.topic}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Button
        size="xs"
        disabled={answering.isPending}
        leftSection={<IconCheck size={14} aria-hidden />}
        onClick={() => answering.mutate({ answer: 'done' })}
      >
        Done
      </Button>
    </Group>
  )
}
