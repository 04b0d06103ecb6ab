import { Button, Drawer, Group, Stack, Text, TextInput } from '@mantine/core'
import { answer, QueryState, Section, useSession } from '@hearth/ui'
import { IconArrowDown, IconHelpCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type DnsExplanation, keys } from '../../api.ts'
import { ActionBadge } from '../action-badge.tsx'
import { useMakeRule } from '../rules/use-rule-actions.ts'
import { explainedReason } from './reason-words.ts'
import { nameIn, type Question, useQuestion } from './use-question.ts'
import { PeerPicker } from '../../peers/peer-picker.tsx'

/** Drawer that explains why a name is answered as it is: everything that matches, in the order of precedence. */
export function ExplainDrawer() {
  const { question, explain } = useQuestion()
  if (question === undefined) return null
  return (
    <Drawer
      opened
      onClose={() => explain(undefined)}
      position="right"
      size={520}
      title={<span className="hearth-name">{question.domain}</span>}
    >
      <Answer question={question} />
    </Drawer>
  )
}

function Answer({ question }: { question: Question }) {
  const { domain, client } = question
  const query = { domain, ...(client === '' ? {} : { client }) }
  const explanation = useQuery({
    queryKey: [...keys.explanation, query],
    queryFn: async () => (await answer(api.GET('/api/dns/explain', { params: { query } }))).data,
    staleTime: 0,
  })
  if (explanation.data !== undefined) return <Explanation of={explanation.data} />
  return <QueryState query={explanation} lines={5} />
}

function Explanation({ of }: { of: DnsExplanation }) {
  const { isAdmin } = useSession()
  return (
    <Stack gap="lg">
      <div className="verdict" data-status={of.status}>
        <ActionBadge action={of.status === 'blocked' ? 'block' : 'allow'}>
          {of.status === 'blocked' ? 'Blocked' : 'Allowed'}
        </ActionBadge>
        <span className="hearth-dimmed">{of.client === null ? 'for any peer' : `for ${of.client}`}</span>
        <p className="verdict-by">{of.decided_by}</p>
        <p className="hearth-dimmed">
          {explainedReason(of.cnames.includes(of.name) && of.reason !== 'private_answer' ? 'cname' : of.reason)}
        </p>
        {of.profile !== null && <p className="hearth-dimmed">{of.profile.because}.</p>}
        {of.server !== null && (
          <p className="hearth-dimmed">
            {of.zone === null ? 'Answered by ' : `Zone ${of.zone}, answered by `}
            <span className="hearth-mono">{of.server}</span>
          </p>
        )}
      </div>
      {of.cnames.length > 0 && <Chain of={of} />}
      <Matches of={of} />
      {isAdmin && <Flip of={of} />}
    </Stack>
  )
}

function Chain({ of }: { of: DnsExplanation }) {
  return (
    <section>
      <h3 className="drawer-heading">Targets of the name</h3>
      <ol className="name-chain">
        {[of.domain, ...of.cnames].map((name, place) => (
          <li key={name} data-deciding={name === of.name || undefined}>
            {place > 0 && <IconArrowDown size={14} aria-label="points to" />}
            <span className="hearth-mono">{name}</span>
            {name === of.name && <b>decides</b>}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Matches({ of }: { of: DnsExplanation }) {
  return (
    <section>
      <h3 className="drawer-heading">Matches, in order of precedence</h3>
      {of.matches.length === 0 && (
        <Text c="dimmed">No rule and no list has this name. Names without a rule or list entry are allowed.</Text>
      )}
      <ol className="match-list">
        {of.matches.map((match, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- the order is what the list is about
          <li key={place} data-deciding={match.deciding || undefined}>
            <span className="match-head">
              <ActionBadge action={match.action}>{match.action === 'block' ? 'Blocks' : 'Allows'}</ActionBadge>
              <span className="match-source">{match.source}</span>
              {match.deciding && <b>decides</b>}
            </span>
            <span className="hearth-mono">{match.text}</span>
            {(match.important || match.name !== of.domain) && (
              <small className="hearth-dimmed">
                {[match.important ? 'marked important' : '', match.name === of.domain ? '' : `by way of ${match.name}`]
                  .filter((part) => part !== '')
                  .join(', ')}
              </small>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The one change that reverses the decision, and the same for everyone. */
function Flip({ of }: { of: DnsExplanation }) {
  const make = useMakeRule()
  const action = of.status === 'blocked' ? 'allow' : 'block'
  const verb = action === 'allow' ? 'Allow' : 'Block'
  if (of.reason === 'off') return <Text c="dimmed">To change this: {of.flip}.</Text>
  const createRule = (client: string | null) => make.mutate({ action, domain: of.domain, client })
  return (
    <section>
      <h3 className="drawer-heading">Change this</h3>
      {of.flip !== null && <Text mb="xs">{of.flip}. It takes effect with the next query.</Text>}
      <Group gap="xs">
        {of.client !== null && (
          <Button loading={make.isPending} onClick={() => createRule(of.client)}>
            {verb} for {of.client}
          </Button>
        )}
        <Button
          variant={of.client === null ? 'filled' : 'default'}
          loading={make.isPending}
          onClick={() => createRule(null)}
        >
          {verb} for everyone
        </Button>
      </Group>
    </section>
  )
}

/** Form for a name to explain. */
export function WhyForm() {
  const { explain } = useQuestion()
  const [domain, setDomain] = useState('')
  const [client, setClient] = useState('')
  const submit = (event: React.FormEvent) => {
    event.preventDefault()
    if (domain.trim() !== '') explain({ domain: nameIn(domain), client: client.trim() })
  }
  return (
    <Section title="Why is this name blocked?">
      <form onSubmit={submit} className="why-form">
        <TextInput
          aria-label="Name to look up"
          placeholder="ads.example.com, or a whole address"
          value={domain}
          onChange={(event) => setDomain(event.currentTarget.value)}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={2000}
        />
        <PeerPicker aria-label="For which peer" placeholder="For any peer" value={client} onChange={setClient} />
        <Button type="submit" leftSection={<IconHelpCircle size={16} aria-hidden />}>
          Explain
        </Button>
      </form>
    </Section>
  )
}
