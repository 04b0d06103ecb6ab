import { Autocomplete, NativeSelect, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { ConfirmDelete, formatCount, FormDialog } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { keys } from '../api.ts'
import { changePeers, readTags, staleAfterPeers } from './bulk-actions.ts'

/** Names of the chosen peers by their ids. */
export type SelectedPeers = ReadonlyMap<string, string>

interface BulkDialogProps {
  selected: SelectedPeers
  onClose: () => void
}

const useTags = () => useQuery({ queryKey: keys.peerTags, queryFn: readTags }).data ?? []

/** Adds a tag to the chosen peers. */
export function AddTag({ selected, onClose }: BulkDialogProps) {
  const tags = useTags()
  const form = useForm({
    initialValues: { tag: '' },
    validate: { tag: (tag: string) => (tag.trim() === '' ? 'Enter a tag' : null) },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Add a tag to ${formatCount(selected.size, 'peer')}`}
      submitLabel="Add tag"
      form={form}
      submit={({ tag }) => changePeers({ action: 'add_tag', ids: [...selected.keys()], tag })}
      renew={staleAfterPeers}
    >
      <Autocomplete
        label="Tag"
        description="A word to find peers by, such as “kids” or “office”"
        maxLength={32}
        data={tags.map(({ tag }) => tag)}
        data-autofocus
        {...form.getInputProps('tag')}
      />
    </FormDialog>
  )
}

/** Removes a tag from the chosen peers. */
export function RemoveTag({ selected, onClose }: BulkDialogProps) {
  const tags = useTags().map(({ tag }) => tag)
  const form = useForm({ initialValues: { tag: '' } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Remove a tag from ${formatCount(selected.size, 'peer')}`}
      submitLabel="Remove tag"
      submitButton={{ disabled: tags.length === 0 }}
      form={form}
      submit={({ tag }) =>
        changePeers({ action: 'remove_tag', ids: [...selected.keys()], tag: tag === '' ? (tags[0] ?? '') : tag })
      }
      renew={staleAfterPeers}
    >
      {tags.length === 0 ? (
        <Text>No peer has a tag.</Text>
      ) : (
        <NativeSelect label="Tag" data={tags} data-autofocus {...form.getInputProps('tag')} />
      )}
    </FormDialog>
  )
}

/** Sets or removes the end of the chosen peers. */
export function SetExpiry({ selected, onClose }: BulkDialogProps) {
  const form = useForm({ initialValues: { expires_at: '' } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`When ${formatCount(selected.size, 'peer')} ${selected.size === 1 ? 'expires' : 'expire'}`}
      submitLabel="Save"
      form={form}
      submit={({ expires_at: text }) =>
        changePeers({
          action: 'set_expiry',
          ids: [...selected.keys()],
          expires_at: text === '' ? null : new Date(text).toISOString(),
        })
      }
      renew={staleAfterPeers}
    >
      <TextInput
        type="datetime-local"
        label="Expires"
        description="The peers stop working then; empty means never"
        data-autofocus
        {...form.getInputProps('expires_at')}
      />
    </FormDialog>
  )
}

/** Names that the dialog lists before it counts the rest. */
const namesShown = 5

/** Asks before the chosen peers are deleted, and says what is lost. */
export function DeletePeers({ selected, onClose, onDeleted }: BulkDialogProps & { onDeleted: () => void }) {
  const names = [...selected.values()]
  const rest = names.length - namesShown
  const listed = `${names.slice(0, namesShown).join(', ')}${rest > 0 ? ` and ${formatCount(rest, 'other')}` : ''}`
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${formatCount(names.length, 'peer')}?`}
      verb={`Delete ${formatCount(names.length, 'peer')}`}
      losses={[
        `${listed}, with their keys: the devices are cut off at once`,
        'Their addresses, which other peers may get',
        'Their traffic counters and history',
        'Their DNS rules and their entries in the query log',
      ]}
      action={{
        run: () => changePeers({ action: 'delete', ids: [...selected.keys()] }),
        renew: staleAfterPeers,
        onDone: onDeleted,
      }}
    />
  )
}
