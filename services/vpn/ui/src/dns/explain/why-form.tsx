import { Button, TextInput } from '@mantine/core'
import { Section } from '@hearth/ui'
import { IconHelpCircle } from '@tabler/icons-react'
import { useState } from 'react'
import { PeerPicker } from '../../peers/peer-picker.tsx'
import { nameIn } from './name-in.ts'
import { useQuestion } from './use-question.ts'

/** Asks why a name is blocked, or would be. */
export function WhyForm() {
  const { ask } = useQuestion()
  const [domain, setDomain] = useState('')
  const [client, setClient] = useState('')
  const submit = (event: React.FormEvent) => {
    event.preventDefault()
    if (domain.trim() !== '') ask({ domain: nameIn(domain), client: client.trim() })
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
