import { EmptyState, Section } from '@hearth/ui'
import { ActionIcon, MultiSelect, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { randomId } from '@mantine/hooks'
import { IconApps, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { keys, readParameters } from '../api.ts'
import { IconButton } from '../page-elements.tsx'
import type { SharedPortValues } from './shared-port-values.ts'

/** Programs that may connect, and what each may write. */
export function Programs({ form }: { form: UseFormReturnType<SharedPortValues> }) {
  const { clients } = form.getValues()
  const parameters = useQuery({ queryKey: keys.parameters, queryFn: readParameters })
  const approved = (parameters.data ?? []).filter((one) => one.approved).map(({ name }) => name)
  const set = (next: SharedPortValues['clients']) => form.setFieldValue('clients', next)
  return (
    <Section
      title="Programs"
      actions={
        <IconButton
          icon={IconPlus}
          onClick={() => set([...clients, { key: randomId(), name: '', network: '', may_write: [] }])}
        >
          Add program
        </IconButton>
      }
    >
      {clients.length === 0 && (
        <EmptyState icon={IconApps} title="Nobody may connect yet">
          The inverter’s protocol knows no passwords, so programs are told apart by the address they come from.
        </EmptyState>
      )}
      <ul className="plain-list shared-rows">
        {clients.map(({ key, name, may_write: names }, index) => (
          <li key={key} className="shared-program">
            <TextInput label="Name" placeholder="Home Assistant" {...form.getInputProps(`clients.${index}.name`)} />
            <TextInput
              label="Address"
              placeholder="192.168.1.20"
              spellCheck={false}
              {...form.getInputProps(`clients.${index}.network`)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              className="shared-remove"
              aria-label={`Remove ${name === '' ? `program ${index + 1}` : name}`}
              onClick={() => set(clients.filter((_, other) => other !== index))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
            <MultiSelect
              className="shared-writes"
              label="May write"
              description="Of what is approved for writing, while write access is on"
              placeholder={names.length === 0 ? 'Nothing' : ''}
              data={[...new Set([...approved, ...names])].sort()}
              searchable
              limit={50}
              nothingFoundMessage="No approved metric has this name"
              {...form.getInputProps(`clients.${index}.may_write`)}
            />
          </li>
        ))}
      </ul>
    </Section>
  )
}
