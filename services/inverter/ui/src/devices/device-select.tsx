import { NativeSelect } from '@mantine/core'
import type { AdminDevice } from '../api.ts'

/** Chooses one of several devices; nothing when there is only one. */
export function DeviceSelect(props: {
  devices: readonly AdminDevice[]
  value: string
  onChange: (deviceId: string) => void
}) {
  const { devices, value, onChange } = props
  if (devices.length < 2) return null
  return (
    <NativeSelect
      aria-label="Inverter"
      className="device-select"
      value={value}
      data={devices.map((device) => ({
        value: device.device_id,
        label: device.is_simulated ? `${device.display_name} (simulated)` : device.display_name,
      }))}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
