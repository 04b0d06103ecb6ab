import {
  answer,
  changedValues,
  formatCount,
  RelativeTime,
  Section,
  SettingsForm,
  type SettingsSection,
  useAction,
} from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconHistory } from '@tabler/icons-react'
import { api, type HistoryView, keys } from '../api.ts'
import { Facts, IconButton, Notice } from '../page-elements.tsx'

type Status = HistoryView['devices'][number]

const states: Record<Status['filling']['state'], string> = {
  off: 'Off',
  waiting: 'Waiting',
  reading: 'Reading the log',
  done: 'Complete',
}

/** What is stored of an inverter, and how gaps are filled. */
export function StoredHistory({ status }: { status: Status }) {
  const { filling, device_id: deviceId } = status
  const fill = useAction<void, { message: string }>({
    run: async () => {
      const params = { path: { device_id: deviceId } }
      await answer(api.POST('/admin/api/energy-history/devices/{device_id}/fill', { params }))
      return { message: 'The log of the inverter is being read' }
    },
    renew: [keys.history],
  })
  return (
    <Section
      title="Stored"
      actions={
        <IconButton icon={IconHistory} loading={fill.isPending} onClick={() => fill.mutate()}>
          Fill gaps from the inverter
        </IconButton>
      }
    >
      {filling.detail !== null && <Notice>{filling.detail}.</Notice>}
      <Facts
        facts={[
          ['Five-minute values', formatCount(status.slots, 'value')],
          ['First day', status.first_date ?? '–'],
          ['Newest value', status.newest === null ? '–' : <RelativeTime key="newest" value={status.newest} />],
          ['Log of the inverter', states[filling.state]],
          ['Taken from the log', formatCount(filling.slots, 'value')],
        ]}
      />
    </Section>
  )
}

interface HistoryValues extends Record<string, unknown> {
  enabled: boolean
  five_minute_days: number | string
  fills_gaps: boolean
  time_zone: string
}

const sectionsFor = (zone: string): readonly SettingsSection<HistoryValues>[] => [
  {
    title: 'Settings',
    fields: [
      { name: 'enabled', kind: 'switch', label: 'Keep a history' },
      {
        name: 'five_minute_days',
        kind: 'number',
        label: 'Keep five-minute values for',
        suffix: ' days',
        description: '7 to 1100 days. Hours are kept for 10 years and days for 50.',
      },
      {
        name: 'fills_gaps',
        kind: 'switch',
        label: 'Fill gaps from the inverter’s own log',
        description: 'It holds 90 days. Reading takes one request every two seconds.',
      },
      {
        name: 'time_zone',
        kind: 'text',
        label: 'Time zone',
        placeholder: zone,
        description: 'Days begin at midnight here, such as Europe/Berlin. Empty for the zone of the server.',
      },
    ],
  },
]

/** The settings of the history. */
export function HistorySettingsForm({ view }: { view: HistoryView }) {
  const initialValues: HistoryValues = { ...view.settings }
  const form = useForm<HistoryValues>({ initialValues })
  const values = form.getValues()
  const save = async () => {
    const { enabled, five_minute_days: days, fills_gaps, time_zone } = values
    const body = { enabled, five_minute_days: Number(days), fills_gaps, time_zone: time_zone.trim() }
    await answer(api.PUT('/admin/api/energy-history', { body }))
    return { message: 'History settings saved' }
  }
  return (
    <SettingsForm
      form={form}
      changes={changedValues(values, initialValues)}
      save={save}
      renew={[keys.history]}
      sections={sectionsFor(view.time_zone)}
    />
  )
}
