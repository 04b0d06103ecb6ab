import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { type AdminDevice, keys, readDevices } from '../api.ts'

/** All devices; events keep their states fresh. */
export function useDevices() {
  return useQuery({ queryKey: keys.devices, queryFn: readDevices })
}

/** The device a page is about: the one in the address, or the first. */
export function useChosenDevice(devices: readonly AdminDevice[]): [AdminDevice | undefined, (id: string) => void] {
  const [params, setParams] = useSearchParams()
  const wanted = params.get('device')
  const chosen = devices.find((device) => device.device_id === wanted) ?? devices[0]
  const choose = (id: string) =>
    setParams(
      (present) => {
        const next = new URLSearchParams(present)
        next.set('device', id)
        return next
      },
      { replace: true },
    )
  return [chosen, choose]
}
