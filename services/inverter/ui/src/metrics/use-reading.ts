import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { type AdminDevice, api, keys, type Parameter } from '../api.ts'

/** The present value of one object of a device. */
export function useReading(device: AdminDevice, parameter: Parameter) {
  const params = { path: { device_id: device.device_id, metric_name: parameter.name } }
  return useQuery({
    queryKey: [...keys.values, device.device_id, parameter.name],
    queryFn: () => answer(api.GET('/api/v1/devices/{device_id}/metrics/{metric_name}', { params })),
    staleTime: 0,
  })
}
