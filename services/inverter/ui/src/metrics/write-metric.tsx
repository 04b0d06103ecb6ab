import { answer, describeError, Fact } from '@hearth/ui'
import { Button, Group, Modal, Stack } from '@mantine/core'
import { IconAlertTriangle, IconArrowRight, IconCircleCheck } from '@tabler/icons-react'
import { useMutation, useQueryClient, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AdminDevice, api, keys, type Parameter, type Schemas } from '../api.ts'
import { Notice } from '../page-elements.tsx'
import { formatValue } from '../values/quantity.ts'
import { ValueField } from './value-field.tsx'
import { choicesOf, toWriteValue, warningFor } from './write-values.ts'

/** Writes one approved object and shows what the inverter read back. */
export function WriteMetric(props: {
  device: AdminDevice
  parameter: Parameter
  /** Value that the field begins with, as the field has it. */
  proposed: string | number
}) {
  const { device, parameter, proposed } = props
  const [typed, setTyped] = useState(proposed)
  const [isConfirming, setConfirming] = useState(false)
  const reading = useReading(device, parameter)
  const cache = useQueryClient()
  const value = toWriteValue(typed, parameter)
  const write = useMutation({
    networkMode: 'always',
    mutationFn: (value: number | boolean | string) =>
      answer(
        api.PUT('/api/v1/devices/{device_id}/metrics/{metric_name}', {
          params: { path: { device_id: device.device_id, metric_name: parameter.name } },
          body: { value },
        }),
      ),
    onSettled: () => {
      setConfirming(false)
      void cache.invalidateQueries({ queryKey: [...keys.values, device.device_id] })
      void cache.invalidateQueries({ queryKey: [...keys.journal, device.device_id] })
    },
  })
  return (
    <form
      className="hearth-stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (value !== undefined) setConfirming(true)
      }}
    >
      <ValueField label="New value" parameter={parameter} value={typed} onChange={setTyped} />
      <Group justify="flex-end">
        <Button type="submit" disabled={value === undefined} loading={write.isPending}>
          Write to {device.display_name}
        </Button>
      </Group>
      {isConfirming && value !== undefined && (
        <ConfirmWrite
          device={device}
          parameter={parameter}
          value={value}
          now={reading.data === undefined && reading.isFetching ? undefined : scalarOf(reading.data?.value)}
          isWriting={write.isPending}
          onWrite={() => write.mutate(value)}
          onClose={() => setConfirming(false)}
        />
      )}
      <div aria-live="polite">
        {write.data !== undefined && !write.isPending && <Outcome result={write.data} unit={parameter.unit} />}
        {write.error !== null && !write.isPending && (
          <Notice color="red" icon={IconAlertTriangle} mb={0}>
            {describeError(write.error)}
          </Notice>
        )}
      </div>
    </form>
  )
}

type Value = number | boolean | string

/** A value that is not a structure, which nothing compares with. */
const scalarOf = (value: unknown): Value | null =>
  typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? value : null

/** Shows the current and the new value side by side before anything is sent, and warns when the new one looks wrong. */
function ConfirmWrite(props: {
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

function Outcome({ result, unit }: { result: Schemas['WriteResult']; unit: string | null }) {
  const { confirmed, written_value: written, readback_value: readback } = result
  return (
    <Notice color={confirmed ? 'green' : 'yellow'} icon={confirmed ? IconCircleCheck : IconAlertTriangle} mb={0}>
      {confirmed
        ? `Written and read back: ${formatValue(readback, unit)}.`
        : `Sent ${formatValue(written, unit)}, but the inverter shows ${formatValue(readback, unit)}.`}
      {result.send_unconfirmed && ' The connection was lost meanwhile.'}
    </Notice>
  )
}

/** Current value of one object of a device. */
export function useReading(device: AdminDevice, parameter: Parameter) {
  const params = { path: { device_id: device.device_id, metric_name: parameter.name } }
  return useQuery({
    queryKey: [...keys.values, device.device_id, parameter.name],
    queryFn: () => answer(api.GET('/api/v1/devices/{device_id}/metrics/{metric_name}', { params })),
    staleTime: 0,
  })
}
