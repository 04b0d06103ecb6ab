import { NativeSelect, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, formatCount, FormDialog } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { api, type Blocklist, keys } from '../../api.ts'
import { listFormats, proposedName } from './list-words.ts'

type ListValues = Pick<Blocklist, 'name' | 'url' | 'format'>

const renew = [keys.blocklists, keys.dnsStatus, keys.dnsStats]
const formats = Object.entries(listFormats).map(([value, label]) => ({ value, label }))
const validate = {
  url: (url: string) => (URL.canParse(url.trim()) ? null : 'The whole address, such as https://example.com/list.txt'),
}

/** Adds a list, or changes one. */
export function ListForm({ list, onClose }: { list?: Blocklist | undefined; onClose: () => void }) {
  const form = useForm<ListValues>({
    initialValues: { name: list?.name ?? '', url: list?.url ?? '', format: list?.format ?? 'auto' },
    validate,
  })
  const proposal = proposedName(form.getValues().url.trim())
  const submit = ({ name, url, format }: ListValues) => {
    const body = { name: name.trim() === '' ? proposal : name, url: url.trim(), format }
    return list === undefined
      ? answer(api.POST('/api/dns/blocklists', { body: { ...body, enabled: true } }))
      : answer(api.PUT('/api/dns/blocklists/{id}', { params: { path: { id: list.id } }, body }))
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={list === undefined ? 'Add list' : `Edit ${list.name}`}
      submitLabel={list === undefined ? 'Add list' : 'Save'}
      form={form}
      submit={submit}
      renew={renew}
    >
      <TextInput
        label="Address"
        description="URL that the list is downloaded from regularly"
        placeholder="https://example.com/list.txt"
        type="url"
        inputMode="url"
        required
        data-autofocus
        autoCapitalize="none"
        spellCheck={false}
        maxLength={2000}
        {...form.getInputProps('url')}
      />
      <TextInput
        label="Name"
        description="As it stands in the log; empty takes one from the address"
        placeholder={proposal}
        maxLength={64}
        {...form.getInputProps('name')}
      />
      <NativeSelect label="Format" data={formats} {...form.getInputProps('format')} />
    </FormDialog>
  )
}

/** Dialog that confirms the deletion of a list. */
export function DeleteList({ list, onClose }: { list: Blocklist; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${list.name}?`}
      verb="Delete list"
      losses={[
        `Its ${formatCount(list.entries, 'name')}: they are blocked no longer, unless another list has them`,
        'The choice of this list in every peer that has a choice of its own',
      ]}
      action={{
        run: () => answer(api.DELETE('/api/dns/blocklists/{id}', { params: { path: { id: list.id } } })),
        renew,
      }}
    />
  )
}
