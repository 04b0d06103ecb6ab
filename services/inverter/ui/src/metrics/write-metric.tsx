import { Alert, Button, Group, Text } from '@mantine/core'
import { answer, describeError } from '@hearth/ui'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { components } from '../api.gen.ts'
import { type AdminDevice, api, keys, type Parameter } from '../api.ts'
import { formatValue } from '../values/quantity.ts'
import { ConfirmWrite, scalarOf } from './confirm-write.tsx'
import { useReading } from './use-reading.ts'
import { ValueField } from './value-field.tsx'
import { toWriteValue } from './write-values.ts'

type WriteResult = components['schemas']['WriteResult']

/** Writes one approved object and shows what the inverter read back. */
export function WriteMetric({ device, parameter }: { device: AdminDevice; parameter: Parameter }) {
  const [typed, setTyped] = useState<string | number>('')
  const [isAsking, setAsking] = useState(false)
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
      setAsking(false)
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
        if (value !== undefined) setAsking(true)
      }}
    >
      <ValueField label="New value" parameter={parameter} value={typed} error={undefined} onChange={setTyped} />
      <Group justify="flex-end">
        <Button type="submit" disabled={value === undefined} loading={write.isPending}>
          Write to {device.display_name}
        </Button>
      </Group>
      {isAsking && value !== undefined && (
        <ConfirmWrite
          device={device}
          parameter={parameter}
          value={value}
          now={reading.data === undefined && reading.isFetching ? undefined : scalarOf(reading.data?.value)}
          isWriting={write.isPending}
          onWrite={() => write.mutate(value)}
          onClose={() => setAsking(false)}
        />
      )}
      <div aria-live="polite">
        {write.data !== undefined && !write.isPending && <Outcome result={write.data} unit={parameter.unit} />}
        {write.error !== null && !write.isPending && (
          <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} className="write-outcome">
            <Text size="md">{describeError(write.error)}</Text>
          </Alert>
        )}
      </div>
    </form>
  )
}

function Outcome({ result, unit }: { result: WriteResult; unit: string | null }) {
  const { confirmed, written_value: written, readback_value: readback } = result
  return (
    <Alert
      color={confirmed ? 'green' : 'yellow'}
      variant="light"
      icon={confirmed ? <IconCircleCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      className="write-outcome"
    >
      <Text size="md">
        {confirmed
          ? `Written and read back: ${formatValue(readback, unit)}.`
          : `Sent ${formatValue(written, unit)}, but the inverter shows ${formatValue(readback, unit)}.`}
        {result.send_unconfirmed && ' The connection broke meanwhile.'}
      </Text>
    </Alert>
  )
}
