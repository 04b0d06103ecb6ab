import { Alert, Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { answer, Section, useAction } from '@hearth/ui'
import { useState } from 'react'
import { api, type Schemas } from '../api.ts'
import { useUsers } from './read-access.ts'

const outcomes: Readonly<Record<Schemas['VisitExplanation']['outcome'], { title: string; color: string }>> = {
  allow: { title: 'May visit', color: 'green' },
  sign_in: { title: 'Must sign in', color: 'yellow' },
  forbidden: { title: 'May not visit', color: 'red' },
  closed: { title: 'Closed', color: 'red' },
}

/** Explains why a user may, or may not, visit an address. */
export function ExplainSection() {
  const { data: users = [] } = useUsers()
  const [visit, setVisit] = useState({ url: '', user: '', method: 'GET', address: '' })
  const [explanation, setExplanation] = useState<Schemas['VisitExplanation']>()
  const explain = useAction<void, Schemas['VisitExplanation']>({
    run: () =>
      answer(
        api.POST('/api/v1/portal/explain', {
          body: {
            url: visit.url,
            method: visit.method,
            user_id: visit.user === '' ? null : visit.user,
            ...(visit.address.trim() !== '' && { client_ip: visit.address.trim() }),
          },
        }),
      ),
    renew: [],
    onDone: setExplanation,
  })
  const set = (name: keyof typeof visit) => (event: React.ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
    setVisit({ ...visit, [name]: event.currentTarget.value })
  const visitors = users.map(({ id, username }) => ({ value: id, label: username }))
  return (
    <Section title="Why?">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          explain.mutate()
        }}
      >
        <Stack>
          <TextInput
            label="Address"
            placeholder="https://files.example.org/page"
            value={visit.url}
            onChange={set('url')}
            required
          />
          <Group align="flex-end">
            <NativeSelect
              label="Visitor"
              data={[{ value: '', label: 'Not signed in' }, ...visitors]}
              value={visit.user}
              onChange={set('user')}
            />
            <NativeSelect
              label="Method"
              data={['GET', 'POST', 'PUT', 'PATCH', 'DELETE']}
              value={visit.method}
              onChange={set('method')}
            />
            <TextInput
              label="From the address"
              placeholder="192.168.1.20"
              value={visit.address}
              onChange={set('address')}
            />
          </Group>
          <div>
            <Button type="submit" loading={explain.isPending}>
              Explain
            </Button>
          </div>
          {explanation !== undefined && (
            <output>
              <Alert color={outcomes[explanation.outcome].color} title={outcomes[explanation.outcome].title}>
                {explanation.reason}
              </Alert>
            </output>
          )}
        </Stack>
      </form>
    </Section>
  )
}
