import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type AdminDevice, keys, plantId, type PlantSettings, readDevices, readPlantSettings } from '../api.ts'
import { useAddressParameter } from '../page-elements.tsx'

/** Chooses one of several devices, or the plant on pages that show it; nothing when there is only one choice. */
export function DeviceSelect(props: {
  devices: readonly AdminDevice[]
  value: string
  onChange: (deviceId: string) => void
  /** The plant, on a page that shows it. */
  plant?: PlantSettings | undefined
}) {
  const { devices, value, onChange, plant } = props
  if (devices.length < 2 && plant === undefined) return null
  const whole = plant === undefined ? [] : [{ value: plantId, label: plant.display_name || 'Plant' }]
  return (
    <NativeSelect
      aria-label="Inverter"
      className="device-select"
      value={value}
      data={[
        ...whole,
        ...devices.map((device) => ({
          value: device.device_id,
          label: device.is_simulated ? `${device.display_name} (simulated)` : device.display_name,
        })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** All devices; events keep their states fresh. */
export function useDevices() {
  return useQuery({ queryKey: keys.devices, queryFn: readDevices })
}

/** Which inverters are the plant. */
export const usePlantSettings = () => useQuery({ queryKey: [...keys.plant, 'settings'], queryFn: readPlantSettings })

/** The plant of its settings; undefined while there is none, or while they are read. */
export const plantOf = (settings: PlantSettings | undefined): PlantSettings | undefined =>
  settings?.enabled === true ? settings : undefined

/** The device a page is about: the one in the address, or the first. */
export function useChosenDevice(devices: readonly AdminDevice[]): [AdminDevice | undefined, (id: string) => void] {
  const [wanted, choose] = useAddressParameter('device')
  return [devices.find((device) => device.device_id === wanted) ?? devices[0], choose]
}
