import { useQuery } from '@tanstack/react-query'
import { keys, readCapabilities } from '../api.ts'
import { signsOf, type Signs, usualSigns } from './energy-flow.ts'

/** The signs of a device; what is usual until its capabilities are read. */
export function useSigns(deviceId: string | undefined): Signs {
  const capabilities = useQuery({
    queryKey: [...keys.capabilities, deviceId],
    enabled: deviceId !== undefined,
    queryFn: () => readCapabilities(deviceId ?? ''),
  })
  return capabilities.data === undefined ? usualSigns : signsOf(capabilities.data)
}
