import { answer, describeError } from '@hearth/ui'
import { Button, Group } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useMutation, useQueryClient, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { components } from '../api.gen.ts'
import { type AdminDevice, api, keys, type Parameter } from '../api.ts'
import { Notice } from '../notice.tsx'
import { formatValue } from '../values/quantity.ts'
import { ConfirmWrite, scalarOf } from './confirm-write.tsx'
import { ValueField } from './value-field.tsx'
import { toWriteValue } from './write-values.ts'

type WriteResult = components['schemas']['WriteResult']

/** Writes one approved object and shows what the inverter read back. */
export function WriteMetric({ device, parameter }: { device: AdminDevice; parameter: Parameter }) {
  const [typed, setTyped] = useState<string | number>('')
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

function Outcome({ result, unit }: { result: WriteResult; unit: string | null }) {
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
