import { SegmentedControl, Select } from '@mantine/core'
import type { AdminDevice } from '../api.ts'

/** Chooses one of several devices; nothing when there is only one. */
export function DeviceSelect(props: {
  devices: readonly AdminDevice[]
  value: string
  onChange: (deviceId: string) => void
}) {
  const { devices, value, onChange } = props
  const data = devices.map((device) => ({
    value: device.device_id,
    label: device.is_simulated ? `${device.display_name} (simulated)` : device.display_name,
  }))
  if (devices.length < 2) return null
  if (devices.length > 3)
    return (
      <Select
        aria-label="Inverter"
        data={data}
        value={value}
        allowDeselect={false}
        onChange={(next) => next !== null && onChange(next)}
      />
    )
  return <SegmentedControl aria-label="Inverter" data={data} value={value} onChange={onChange} />
}
