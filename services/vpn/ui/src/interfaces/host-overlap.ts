import { ApiError } from '@hearth/ui'
import { useState } from 'react'

/** Notices that a network was refused because it is one of the host's; `device` is the one that has it. */
export function useHostOverlap() {
  const [device, setDevice] = useState<string>()
  const watch = async <T>(sent: Promise<T>): Promise<T> => {
    try {
      return await sent
    } catch (error) {
      if (error instanceof ApiError && error.details['code'] === 'host_overlap')
        setDevice(String(error.details['device']))
      throw error
    }
  }
  return { device, watch }
}
