import { Button, NativeSelect, NumberInput, Text, TextInput } from '@mantine/core'
import { answer, QueryState, Section, StatusBadge } from '@hearth/ui'
import { IconHelpCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type AccessExplanation, api, keys } from '../api.ts'
import { PeerPicker } from '../peers/peer-picker.tsx'

type Protocol = 'tcp' | 'udp' | 'icmp'

interface Question {
  readonly from: string
  readonly to: string
  readonly protocol: Protocol
  readonly port?: number
}

/** Asks whether a device reaches something, and answers in words. */
export function QuestionBox() {
  const [asked, setAsked] = useState<Question>()
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [protocol, setProtocol] = useState<Protocol>('tcp')
  const [port, setPort] = useState<string | number>(443)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (from.trim() === '' || to.trim() === '') return
    const question = { from: from.trim(), to: to.trim(), protocol }
    setAsked(protocol === 'icmp' ? question : { ...question, port: Number(port) || 443 })
  }
  return (
    <Section title="Who can reach what?">
      <form onSubmit={submit} className="access-question">
        <PeerPicker label="From device" placeholder="Phone" required value={from} onChange={setFrom} />
        <TextInput
          label="To"
          placeholder="printer, 10.8.0.7, internet, gateway"
          required
          maxLength={64}
          autoComplete="off"
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <NativeSelect
          label="What"
          data={[
            { value: 'tcp', label: 'TCP' },
            { value: 'udp', label: 'UDP' },
            { value: 'icmp', label: 'Ping (ICMP)' },
          ]}
          value={protocol}
          onChange={(event) => setProtocol(event.currentTarget.value as Protocol)}
        />
        {protocol !== 'icmp' && (
          <NumberInput label="Port" min={1} max={65_535} allowDecimal={false} value={port} onChange={setPort} />
        )}
        <Button type="submit" variant="default" leftSection={<IconHelpCircle size={16} aria-hidden />}>
          Explain
        </Button>
      </form>
      {asked !== undefined && <Answer question={asked} />}
    </Section>
  )
}

function Answer({ question }: { question: Question }) {
  const explanation = useQuery({
    queryKey: [...keys.access, 'explain', question],
    queryFn: async () => (await answer(api.GET('/api/access/explain', { params: { query: { ...question } } }))).data,
    staleTime: 0,
    retry: false,
  })
  if (explanation.data === undefined) return <QueryState query={explanation} lines={2} />
  return <Explanation of={explanation.data} />
}

function Explanation({ of }: { of: AccessExplanation }) {
  return (
    <output className="access-answer" aria-label="Answer">
      <p>
        <StatusBadge tone={of.action === 'allow' ? 'good' : 'bad'}>
          {of.action === 'allow' ? 'Allowed' : 'Denied'}
        </StatusBadge>{' '}
        <b className="wrap-anywhere">{of.message}</b>
      </p>
      <ol>
        {of.steps.map((step, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- the order is what the list is about
          <li key={place} className="wrap-anywhere">
            {step}
          </li>
        ))}
      </ol>
      <Text c="dimmed" size="sm">
        The answer is about a new connection; it does not know whether the other side listens.
      </Text>
    </output>
  )
}
