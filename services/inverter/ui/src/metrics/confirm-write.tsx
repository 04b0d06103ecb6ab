import { Fact } from '@hearth/ui'
import { Button, Group, Modal, Stack } from '@mantine/core'
import { IconAlertTriangle, IconArrowRight } from '@tabler/icons-react'
import type { AdminDevice, Parameter } from '../api.ts'
import { Notice } from '../notice.tsx'
import { formatValue } from '../values/quantity.ts'
import { warningFor, choicesOf } from './write-values.ts'

type Value = number | boolean | string

/** A value that is not a structure, which nothing compares with. */
export const scalarOf = (value: unknown): Value | null =>
  typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? value : null

/** Shows the present and the new value side by side before anything is sent, and warns when the new one looks wrong. */
export function ConfirmWrite(props: {
  device: AdminDevice
  parameter: Parameter
  value: Value
  /** Null when the inverter gives no value, undefined while it is read. */
  now: Value | null | undefined
  isWriting: boolean
  onWrite: () => void
  onClose: () => void
}) {
  const { device, parameter, value, now, isWriting, onWrite, onClose } = props
  const warning = warningFor(parameter, { value, now })
  return (
    <Modal opened onClose={onClose} title={`Write ${parameter.name} on ${device.display_name}?`}>
      <Stack>
        <dl className="write-comparison">
          <Fact name="Current">{now === undefined ? '…' : now === null ? 'No value' : textOf(now, parameter)}</Fact>
          <IconArrowRight size={20} aria-hidden />
          <Fact name="New">{textOf(value, parameter)}</Fact>
        </dl>
        {warning !== null && (
          <Notice icon={IconAlertTriangle} mb={0}>
            {warning} Are you sure?
          </Notice>
        )}
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button variant="default" onClick={onClose} data-autofocus={warning !== null || undefined}>
            Cancel
          </Button>
          <Button
            {...(warning === null ? {} : { color: 'red' })}
            loading={isWriting}
            onClick={onWrite}
            data-autofocus={warning === null || undefined}
          >
            {warning === null ? 'Write' : 'Write anyway'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const textOf = (value: Value, parameter: Parameter): string =>
  choicesOf(parameter).find((choice) => choice.value === String(value))?.label ?? formatValue(value, parameter.unit)
