import { NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, FormDialog, IconAction } from '@hearth/ui'
import { IconFolder, IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys, type Collection } from '../api.ts'
import { DeleteButton } from '../buttons.tsx'

interface CollectionChoiceProps {
  collections: readonly Collection[]
  chosen: Collection | undefined
  onChange: (id: string) => void
}

/** The collection that is shown, with what can be done with it. Nothing while there are none. */
export function CollectionChoice({ collections, chosen, onChange }: CollectionChoiceProps) {
  const [isRenaming, setRenaming] = useState(false)
  if (collections.length === 0) return null
  return (
    <div className="library-collections">
      <NativeSelect
        aria-label="Collection"
        leftSection={<IconFolder size={16} aria-hidden />}
        data={[
          { value: '', label: 'Everything' },
          ...collections.map(({ id, name, item_count: count }) => ({ value: id, label: `${name} (${count})` })),
        ]}
        value={chosen?.id ?? ''}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {chosen !== undefined && (
        <>
          <IconAction
            icon={IconPencil}
            tip="Rename"
            label={`Rename ${chosen.name}`}
            onClick={() => setRenaming(true)}
          />
          <DeleteButton
            size="xs"
            aria-label={`Delete the collection ${chosen.name}`}
            title={`Delete the collection “${chosen.name}”?`}
            losses={['The collection and its order; the downloads stay']}
            verb="Delete collection"
            action={{
              run: () => answer(api.DELETE('/api/collections/{id}', { params: { path: { id: chosen.id } } })),
              done: () => 'The collection is deleted',
              renew: [keys.collections],
              onDone: () => onChange(''),
            }}
          >
            Delete
          </DeleteButton>
          {isRenaming && <Rename collection={chosen} onClose={() => setRenaming(false)} />}
        </>
      )}
    </div>
  )
}

function Rename({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const form = useForm({
    initialValues: { name: collection.name },
    validate: { name: (name) => (name.trim() === '' ? 'Give it a name' : null) },
  })
  return (
    <FormDialog<{ name: string }, Collection>
      opened
      onClose={onClose}
      title="Rename the collection"
      form={form}
      submitLabel="Rename"
      submit={(body) => answer(api.PATCH('/api/collections/{id}', { params: { path: { id: collection.id } }, body }))}
      renew={[keys.collections]}
    >
      <TextInput label="Name" maxLength={80} data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  )
}
