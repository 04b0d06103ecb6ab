import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, FormDialog } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { api, type DnsRecord, keys } from '../../api.ts'
import { hasReverse, lifetimeChoices, recordTypes, type RecordValues, recordValues, toRecord } from './record-values.ts'

/** Queries to read again after a record changed. */
export const recordRenewals = [keys.dnsRecords, keys.explanation]

const validate = {
  name: (text: string) => (text.trim() === '' ? 'Enter a name' : null),
  value: (text: string) => (text.trim() === '' ? 'Enter a value' : null),
}

const typeChoices = Object.entries(recordTypes).map(([value, { label }]) => ({ value, label }))

/** Adds a local name, or changes one. */
export function RecordForm({ record, onClose }: { record?: DnsRecord; onClose: () => void }) {
  const form = useForm<RecordValues>({ initialValues: recordValues(record), validate })
  const { type, ttl } = form.getValues()
  const { value, example } = recordTypes[type]
  const submit = (values: RecordValues) =>
    record === undefined
      ? answer(api.POST('/api/dns/records', { body: toRecord(values) }))
      : answer(api.PUT('/api/dns/records/{id}', { params: { path: { id: record.id } }, body: toRecord(values) }))
  const isName = { autoCapitalize: 'none', spellCheck: false }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={record === undefined ? 'Add local name' : 'Edit local name'}
      submitLabel={record === undefined ? 'Add name' : 'Save'}
      form={form}
      submit={submit}
      renew={recordRenewals}
    >
      <TextInput
        label="Name"
        description={
          type === 'PTR'
            ? 'An address, or its reverse name'
            : 'A full name; *.home.example stands for every name below without an entry'
        }
        placeholder={type === 'PTR' ? '192.168.1.5' : 'nas.home.example'}
        required
        data-autofocus
        {...isName}
        {...form.getInputProps('name')}
      />
      <NativeSelect label="Type" data={typeChoices} {...form.getInputProps('type')} />
      {type === 'TXT' ? (
        <Textarea label={value} placeholder={example} required autosize minRows={2} {...form.getInputProps('value')} />
      ) : (
        <TextInput label={value} placeholder={example} required {...isName} {...form.getInputProps('value')} />
      )}
      {hasReverse(type) && (
        <Checkbox
          label="The address leads back to this name"
          description="For reverse look-ups (PTR), unless the address has a name already"
          {...form.getInputProps('reverse', { type: 'checkbox' })}
        />
      )}
      <NativeSelect
        label="Lifetime"
        description="How long devices may remember the answer"
        data={lifetimeChoices(ttl)}
        {...form.getInputProps('ttl')}
      />
    </FormDialog>
  )
}

/** Dialog that confirms the deletion of a record. */
export function DeleteRecord({ record, onClose }: { record: DnsRecord; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete the ${record.type} record of ${record.name}?`}
      verb="Delete record"
      losses={[`“${record.name}” no longer leads to ${record.value.slice(0, 200)}`]}
      action={{
        run: () => answer(api.DELETE('/api/dns/records/{id}', { params: { path: { id: record.id } } })),
        renew: recordRenewals,
      }}
    />
  )
}
