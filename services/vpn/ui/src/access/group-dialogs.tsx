import { Modal, NativeSelect, TagsInput, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, FormDialog, formatCount, QueryState } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { type AccessGroup, type AccessGroupDetail, api, keys } from '../api.ts'
import { MemberPicker } from '../peers/member-picker.tsx'
import { accessRenewals } from './access-queries.ts'
import { groupColors } from './access-values.ts'

/** Adds a group, or changes one. */
export function GroupForm({ group, onClose }: { group?: AccessGroup; onClose: () => void }) {
  if (group === undefined) return <LoadedForm group={undefined} onClose={onClose} />
  return <EditGroup group={group} onClose={onClose} />
}

function EditGroup({ group, onClose }: { group: AccessGroup; onClose: () => void }) {
  const detail = useQuery({
    queryKey: [...keys.access, 'group', group.id],
    queryFn: async () =>
      (await answer(api.GET('/api/access/groups/{id}', { params: { path: { id: group.id } } }))).data,
    staleTime: 0,
    gcTime: 0,
  })
  if (detail.data !== undefined) return <LoadedForm group={detail.data} onClose={onClose} />
  return (
    <Modal opened onClose={onClose} title="Edit group">
      <QueryState query={detail} lines={4} />
    </Modal>
  )
}

function LoadedForm({ group, onClose }: { group: AccessGroupDetail | undefined; onClose: () => void }) {
  const form = useForm({
    initialValues: {
      name: group?.name ?? '',
      color: group?.color ?? 'blue',
      peer_ids: group?.peers.map(({ id }) => id) ?? [],
      tags: group?.tags ?? [],
    },
    validate: { name: (text: string) => (text.trim() === '' ? 'Enter a name' : null) },
  })
  type Values = ReturnType<typeof form.getValues>
  const submit = (body: Values) =>
    group === undefined
      ? answer(api.POST('/api/access/groups', { body }))
      : answer(api.PUT('/api/access/groups/{id}', { params: { path: { id: group.id } }, body }))
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={group === undefined ? 'Add group' : 'Edit group'}
      submitLabel={group === undefined ? 'Add group' : 'Save'}
      form={form}
      submit={submit}
      renew={accessRenewals}
    >
      <TextInput
        label="Name"
        placeholder="Guests"
        required
        maxLength={64}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <NativeSelect
        label="Colour"
        data={groupColors.map((value) => ({ value, label: `${value[0]?.toUpperCase()}${value.slice(1)}` }))}
        {...form.getInputProps('color')}
      />
      <MemberPicker known={group?.peers ?? []} {...form.getInputProps('peer_ids')} />
      <TagsInput
        label="Tags"
        description="Devices with one of these tags are in the group too, those that get it later as well"
        maxTags={16}
        clearable
        {...form.getInputProps('tags')}
      />
    </FormDialog>
  )
}

/** Dialog that confirms the deletion of a group. */
export function DeleteGroup({ group, onClose }: { group: AccessGroup; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete the group ${group.name}?`}
      verb="Delete group"
      losses={[`The list of its ${formatCount(group.member_count, 'device')}; the devices themselves stay`]}
      action={{
        run: () => answer(api.DELETE('/api/access/groups/{id}', { params: { path: { id: group.id } } })),
        renew: accessRenewals,
      }}
    />
  )
}
