import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type AdminDevice, keys, readDevices } from '../api.ts'
import { useAddressParameter } from '../page-elements.tsx'

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

/** All devices; events keep their states fresh. */
export function useDevices() {
  return useQuery({ queryKey: keys.devices, queryFn: readDevices })
}

/** The device a page is about: the one in the address, or the first. */
export function useChosenDevice(devices: readonly AdminDevice[]): [AdminDevice | undefined, (id: string) => void] {
  const [wanted, choose] = useAddressParameter('device')
  return [devices.find((device) => device.device_id === wanted) ?? devices[0], choose]
}
