import { answer, type Column, DataTable, formatTime, QueryState, useAction } from '@hearth/ui'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, type DispatchPreview, type EnergyAction, type EnergyCommand, type EnergyDevice, keys } from '../api.ts'
import { Notice } from '../page-elements.tsx'
import { formatValue } from '../values/quantity.ts'
import { actions, toPreviewRequest } from './energy-texts.ts'

interface Command {
  action: EnergyAction
  target: number
  power: number
}

/** Shows what a command would write and put back, and starts it. */
export function StartDialog(props: { energy: EnergyDevice; command: Command; onClose: () => void }) {
  const { energy, command, onClose } = props
  const params = { path: { device_id: energy.device_id } }
  const { action } = command
  const preview = useQuery({
    queryKey: [...keys.energy, energy.device_id, 'preview', command],
    enabled: action !== 'auto',
    gcTime: 0,
    queryFn: () =>
      answer(
        api.POST('/api/v1/devices/{device_id}/battery/dispatch/preview', {
          params,
          body: toPreviewRequest({ ...command, action: action === 'auto' ? 'hold' : action }, new Date()),
        }),
      ),
  })
  const start = useAction({
    run: () => answer(api.POST('/admin/api/energy/devices/{device_id}/command', { params, body: toCommand(command) })),
    done: () => doneMessages[action],
    renew: [keys.energy, [...keys.journal, energy.device_id]],
    onDone: onClose,
  })
  return (
    <Modal opened onClose={onClose} title={`${actions[action].verb} on ${energy.device_name}?`} size="lg">
      <Stack>
        {action === 'auto' && <Text>Stops the running command and restores the inverter settings.</Text>}
        {action !== 'auto' && <QueryState query={preview} lines={4} />}
        {preview.data !== undefined && <Preview preview={preview.data} />}
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            loading={start.isPending}
            disabled={action !== 'auto' && preview.data === undefined}
            onClick={() => start.mutate()}
            data-autofocus
          >
            {actions[action].verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const doneMessages: Record<EnergyAction, string> = {
  charge: 'Charging started',
  discharge: 'Discharging started',
  hold: 'Holding the battery',
  auto: 'Settings restored',
}

function toCommand({ action, target, power }: Command): EnergyCommand {
  if (action === 'hold' || action === 'auto') return { action }
  return { action, target_soc_percent: target, ...(power > 0 ? { max_power_w: power } : {}) }
}

function Preview({ preview }: { preview: DispatchPreview }) {
  const { outcome, warnings } = preview
  const until = formatTime(new Date(preview.valid_until))
  return (
    <>
      <Text>
        {outcomes[outcome]}
        {outcome !== 'target_reached' && (
          <>
            {' '}
            It ends automatically at {until}
            {preview.valid_until_clamped && '; not all capabilities are verified'}.
          </>
        )}
        {preview.max_power_w_clamped && ` The power is limited to ${preview.max_power_w} W by the inverter.`}
      </Text>
      {warnings.map(({ code, detail }) => (
        <Notice key={code} icon={IconAlertTriangle} mb={0}>
          {detail}.
        </Notice>
      ))}
      {preview.changes.length > 0 && <PreviewTable changes={preview.changes} restores={preview.restores} />}
    </>
  )
}

const outcomes: Record<DispatchPreview['outcome'], string> = {
  start: 'These registers are written now and restored at the end.',
  replace: 'This replaces the running command. The original settings are restored at the end.',
  unchanged: 'The same command is already running. Nothing is written.',
  target_reached: 'The battery is already at the target. Nothing is written.',
}

/** Registers in the order they are written, with what they hold now and at the end. */
function PreviewTable({ changes, restores }: Pick<DispatchPreview, 'changes' | 'restores'>) {
  const atEnd = (name: string) => restores.findLast((restore) => restore.name === name)?.to
  const columns: Column<DispatchPreview['changes'][number]>[] = [
    {
      key: 'name',
      header: 'Register',
      role: 'title',
      render: ({ name }) => <span className="hearth-mono">{name}</span>,
    },
    { key: 'from', header: 'Current', numeric: true, render: ({ from }) => formatValue(from, null) },
    { key: 'to', header: 'New', numeric: true, render: ({ to }) => <b>{formatValue(to, null)}</b> },
    { key: 'end', header: 'Restored to', numeric: true, render: ({ name }) => formatValue(atEnd(name), null) },
  ]
  const answer = { rows: changes, total: changes.length, error: undefined, retry: () => undefined }
  return (
    <DataTable label="Register changes" columns={columns} rowKey={({ name }) => name} answer={answer} empty={null} />
  )
}
