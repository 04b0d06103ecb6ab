import { answer, changedValues, SettingsForm, type SettingsSection } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { api, keys, type SnapshotList } from '../api.ts'

interface SettingsValues extends Record<string, unknown> {
  after_firmware: boolean
  daily: boolean
  kept: number | string
}

const sections: readonly SettingsSection<SettingsValues>[] = [
  {
    title: 'Settings',
    fields: [
      {
        name: 'after_firmware',
        kind: 'switch',
        label: 'Take a snapshot after a firmware update',
        description: 'Shows what the update changed, if there is a snapshot from before it.',
      },
      {
        name: 'daily',
        kind: 'switch',
        label: 'Take a snapshot every day',
        description: 'Tells you the day after somebody else changed a setting.',
      },
      {
        name: 'kept',
        kind: 'number',
        label: 'Snapshots to keep',
        description: '2 to 200 of each inverter. Those with a name are kept in any case.',
      },
    ],
  },
]

/** Settings of automatic snapshots, and the number that is kept. */
export function SnapshotSettings({ settings }: { settings: SnapshotList['settings'] }) {
  const initialValues: SettingsValues = { ...settings }
  const form = useForm<SettingsValues>({ initialValues })
  const values = form.getValues()
  const save = async () => {
    const { after_firmware, daily, kept } = values
    await answer(api.PUT('/admin/api/snapshot-settings', { body: { after_firmware, daily, kept: Number(kept) } }))
    return { message: 'Snapshot settings saved' }
  }
  return (
    <SettingsForm
      form={form}
      changes={changedValues(values, initialValues)}
      save={save}
      renew={[keys.snapshots]}
      sections={sections}
    />
  )
}
