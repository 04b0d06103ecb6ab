import { Autocomplete } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, FormDialog, formatCount, notifyDone } from '@hearth/ui'
import { api, keys, type Collection } from '../api.ts'
import { inParts } from './selection-bar.tsx'
import { useCollections } from './use-library.ts'

interface CollectDialogProps {
  ids: readonly string[]
  onClose: () => void
  onDone: () => void
}

/** Dialog that puts downloads into a collection, which may be a new one. */
export function CollectDialog({ ids, onClose, onDone }: CollectDialogProps) {
  const collections = useCollections().data ?? []
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Choose a collection, or name a new one' : null) },
  })
  const isNew = (name: string) => name.trim() !== '' && !collections.some((each) => each.name === name.trim())
  const submit = async ({ name }: { name: string }): Promise<Collection> => {
    const known = collections.find((each) => each.name === name.trim())
    const into = known ?? (await answer(api.POST('/api/collections', { body: { name } })))
    await inParts(ids, (add) =>
      answer(api.POST('/api/collections/{id}/jobs', { params: { path: { id: into.id } }, body: { add, remove: [] } })),
    )
    return into
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Collect ${formatCount(ids.length, 'download')}`}
      form={form}
      submitLabel={isNew(form.getValues().name) ? 'Make it, and add' : 'Add'}
      submit={submit}
      onDone={({ name }) => {
        notifyDone(`${formatCount(ids.length, 'download')} added to “${name}”`)
        onDone()
      }}
      renew={[keys.library, keys.collections]}
    >
      <Autocomplete
        label="Collection"
        description="Choose one, or type the name of a new one"
        data={[...new Set(collections.map(({ name }) => name))]}
        maxLength={80}
        data-autofocus
        {...form.getInputProps('name')}
      />
    </FormDialog>
  )
}
