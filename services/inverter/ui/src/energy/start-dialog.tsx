import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { answer, ErrorState, formatTime, LoadingLines, useAction } from '@hearth/ui'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, type DispatchPreview, type EnergyAction, type EnergyCommand, type EnergyDevice, keys } from '../api.ts'
import { actions, toPreviewRequest } from './energy-words.ts'
import { PreviewTable } from './preview-table.tsx'

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
    done: () => doneWords[action],
    renew: [keys.energy, [...keys.journal, energy.device_id]],
    onDone: onClose,
  })
  return (
    <Modal opened onClose={onClose} title={`${actions[action].verb} on ${energy.device_name}?`} size="lg">
      <Stack>
        {action === 'auto' && <Text>What runs is stopped, and the inverter gets its own settings back.</Text>}
        {action !== 'auto' && preview.data === undefined && preview.error === null && <LoadingLines lines={4} />}
        {action !== 'auto' && preview.data === undefined && preview.error !== null && (
          <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
        )}
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

const doneWords: Record<EnergyAction, string> = {
  charge: 'Charging was commanded',
  discharge: 'Discharging was commanded',
  hold: 'The battery is held',
  auto: 'The inverter has its own settings back',
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
            It ends by itself at {until}
            {preview.valid_until_clamped && ', earlier than usual, because not everything is verified'}.
          </>
        )}
        {preview.max_power_w_clamped && ` The power is lowered to ${preview.max_power_w} W, the limit of the inverter.`}
      </Text>
      {warnings.map(({ code, detail }) => (
        <Alert
          key={code}
          color="yellow"
          variant="light"
          icon={<IconAlertTriangle aria-hidden />}
          className="notice-banner"
          mb={0}
        >
          <Text size="md">{detail}.</Text>
        </Alert>
      ))}
      {preview.changes.length > 0 && <PreviewTable changes={preview.changes} restores={preview.restores} />}
    </>
  )
}

const outcomes: Record<DispatchPreview['outcome'], string> = {
  start: 'This is written to the inverter, and put back at the end.',
  replace: 'This replaces what runs; what was there before all of it is put back at the end.',
  unchanged: 'The same command runs already; nothing would be written.',
  target_reached: 'The battery is there already; nothing would be written.',
}
