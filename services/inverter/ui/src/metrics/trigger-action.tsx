import { Button, Group, Text } from '@mantine/core'
import { answer, ConfirmDelete } from '@hearth/ui'
import { IconBolt } from '@tabler/icons-react'
import { useState } from 'react'
import { type AdminDevice, api, keys, type Parameter } from '../api.ts'
import { ValueField } from './value-field.tsx'
import { choicesOf, toWriteValue } from './write-values.ts'

/** Triggers an action after a confirmation; the protocol never says whether it was carried out. */
export function TriggerAction({ device, parameter }: { device: AdminDevice; parameter: Parameter }) {
  const [typed, setTyped] = useState<string | number>('')
  const [isConfirming, setConfirming] = useState(false)
  const value = toWriteValue(typed, parameter)
  const name = choicesOf(parameter).find((choice) => choice.value === typed)?.label ?? String(typed)
  const trigger = () =>
    answer(
      api.POST('/api/v1/devices/{device_id}/actions/{action_name}', {
        params: { path: { device_id: device.device_id, action_name: parameter.name } },
        body: { value: value ?? 0 },
      }),
    )
  return (
    <div className="hearth-stack">
      <Text className="hearth-dimmed">
        The inverter does not confirm actions. Check its display or the diagnostics.
      </Text>
      <ValueField label="Action" parameter={parameter} value={typed} onChange={setTyped} />
      <Group justify="flex-end">
        <Button
          color="red"
          variant="light"
          disabled={value === undefined}
          leftSection={<IconBolt size={16} aria-hidden />}
          onClick={() => setConfirming(true)}
        >
          Trigger
        </Button>
      </Group>
      <ConfirmDelete
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Trigger “${name}” on ${device.display_name}?`}
        losses={[
          'It is sent immediately and cannot be undone',
          'Some actions restart the inverter or erase its records',
        ]}
        verb="Trigger action"
        action={{
          run: trigger,
          done: ({ action_note: note }) => `Sent. ${note}`,
          renew: [[...keys.journal, device.device_id]],
        }}
      />
    </div>
  )
}
