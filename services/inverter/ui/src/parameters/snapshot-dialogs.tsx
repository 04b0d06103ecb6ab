import { answer, FormDialog } from '@hearth/ui'
import { Text, Textarea, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { api, keys, type Snapshot, type SnapshotList } from '../api.ts'
import { roughly } from './snapshot-texts.ts'

interface SnapshotValues extends Record<string, unknown> {
  name: string
  note: string
}

/** Asks for name and note, and begins a snapshot. */
export function TakeSnapshot({ list, onClose }: { list: SnapshotList; onClose: () => void }) {
  const form = useForm<SnapshotValues>({ initialValues: { name: '', note: '' } })
  const params = { path: { device_id: list.device_id } }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Take a snapshot"
      submitLabel="Take snapshot"
      form={form}
      submit={async ({ name, note }) => {
        await answer(
          api.POST('/admin/api/devices/{device_id}/snapshots', { params, body: { origin: 'manual', name, note } }),
        )
        return { message: 'The parameters are being read' }
      }}
      renew={[keys.snapshots]}
    >
      <Text className="hearth-dimmed">
        Reads {list.parameters} parameters one after the other, behind everything else:{' '}
        {roughly(list.estimated_seconds)}. Passwords are never read.
      </Text>
      <NameFields form={form} />
    </FormDialog>
  )
}

/** Changes name and note of a snapshot. */
export function EditSnapshot({ snapshot, onClose }: { snapshot: Snapshot; onClose: () => void }) {
  const form = useForm<SnapshotValues>({ initialValues: { name: snapshot.name ?? '', note: snapshot.note ?? '' } })
  const params = { path: { device_id: snapshot.device_id, snapshot_id: snapshot.id } }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Edit snapshot"
      submitLabel="Save"
      form={form}
      submit={async ({ name, note }) => {
        const body = { name, note }
        await answer(api.PATCH('/admin/api/devices/{device_id}/snapshots/{snapshot_id}', { params, body }))
        return { message: 'Snapshot saved' }
      }}
      renew={[keys.snapshots]}
    >
      <NameFields form={form} />
    </FormDialog>
  )
}

function NameFields({ form }: { form: UseFormReturnType<SnapshotValues> }) {
  return (
    <>
      <TextInput
        label="Name"
        description="Optional. A snapshot with a name is kept until you delete it."
        placeholder="Before the update"
        maxLength={80}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Textarea label="Note" maxLength={1000} autosize minRows={2} {...form.getInputProps('note')} />
    </>
  )
}
