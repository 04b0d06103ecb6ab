import { describeError, IconAction, RelativeTime, Section } from '@hearth/ui'
import { Drawer, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type AdminDevice, keys, type Parameter, readSettings } from '../api.ts'
import { kinds, formatLimits } from '../approvals/parameter-search.ts'
import { SimulatedBadge } from '../devices/device-badges.tsx'
import { DeviceSelect } from '../devices/device-select.tsx'
import { Facts, useAddressParameter } from '../page-elements.tsx'
import { formatValue } from '../values/quantity.ts'
import { TriggerAction } from './trigger-action.tsx'
import { useReading, WriteMetric } from './write-metric.tsx'
import { fieldText } from './write-values.ts'

/** One object in full: its value now, what it takes, and a form to write it. */
export function MetricDrawer(props: { parameter: Parameter; devices: readonly AdminDevice[]; onClose: () => void }) {
  const { parameter, devices, onClose } = props
  const [wanted] = useAddressParameter('device')
  const [deviceId, setDeviceId] = useState(wanted)
  const device = devices.find(({ device_id }) => device_id === deviceId) ?? devices[0]
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={460}
      title={<span className="hearth-name">{parameter.name}</span>}
    >
      <Stack gap="lg">
        {parameter.help_text !== null && <Text>{parameter.help_text}</Text>}
        {device === undefined ? (
          <Text className="hearth-dimmed">Add an inverter to see its value.</Text>
        ) : (
          <>
            <DeviceSelect devices={devices} value={device.device_id} onChange={setDeviceId} />
            {!parameter.is_action && <ValueNow device={device} parameter={parameter} />}
          </>
        )}
        <Facts facts={factsOf(parameter)} />
        {device !== undefined && <Writing device={device} parameter={parameter} />}
      </Stack>
    </Drawer>
  )
}

function factsOf(parameter: Parameter): [string, ReactNode][] {
  const limits = formatLimits(parameter)
  return [
    [
      'Vendor name',
      <span key="vendor" className="hearth-mono">
        {parameter.vendor_name}
      </span>,
    ],
    ['Group', parameter.group],
    ['Type', kinds[parameter.value_type]],
    ['Unit', parameter.unit ?? '–'],
    ...(limits === null ? [] : [['Data type limits', limits] as [string, ReactNode]]),
    ['Shown in readings', parameter.exposed ? 'Yes' : 'No'],
    ['Writable', parameter.approved ? 'Yes' : parameter.writable ? 'Not approved' : 'Never'],
  ]
}

function ValueNow({ device, parameter }: { device: AdminDevice; parameter: Parameter }) {
  const reading = useReading(device, parameter)
  const { data } = reading
  return (
    <div className="metric-now">
      <p aria-live="polite">
        <small>
          Current value <SimulatedBadge device={device} />
        </small>
        <b>
          {data === undefined
            ? reading.error === null
              ? '…'
              : 'No value'
            : (data.enum_label?.replaceAll('_', ' ') ?? formatValue(data.value, data.unit))}
        </b>
        <small>
          {data !== undefined && (
            <>
              {data.enum_label !== null && `code ${data.enum_value ?? ''}, `}
              read <RelativeTime value={data.timestamp} />
              {data.stale && ', stale'}
            </>
          )}
          {reading.error !== null && describeError(reading.error)}
        </small>
      </p>
      <IconAction
        icon={IconRefresh}
        label="Refresh"
        size={36}
        loading={reading.isFetching}
        onClick={() => void reading.refetch()}
      />
    </div>
  )
}

function Writing({ device, parameter }: { device: AdminDevice; parameter: Parameter }) {
  const [proposed] = useAddressParameter('value')
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  if (!parameter.writable || settings.data === undefined) return null
  const isOn = settings.data.write_access
  return (
    <Section title={parameter.is_action ? 'Trigger' : 'Write'}>
      {!isOn && <Text className="hearth-dimmed">Write access is off. Turn it on under Inverters, Devices.</Text>}
      {isOn && !parameter.approved && (
        <Text className="hearth-dimmed">Not approved. Turn on “Writable” in the table first.</Text>
      )}
      {isOn && parameter.approved && parameter.is_action && <TriggerAction device={device} parameter={parameter} />}
      {isOn && parameter.approved && !parameter.is_action && (
        <WriteMetric
          key={`${device.device_id} ${parameter.name}`}
          device={device}
          parameter={parameter}
          proposed={fieldText(proposed ?? '', parameter)}
        />
      )}
    </Section>
  )
}
