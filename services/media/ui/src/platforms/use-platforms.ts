import { answer, useAction } from '@hearth/ui'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, keys, readPlatforms, type Platform, type PlatformHealth } from '../api.ts'
import { platformNames } from '../jobs/job-labels.ts'

/** Interval at which the state is read while a platform is paused, milliseconds: nothing announces jobs that begin to wait. */
const pausedInterval = 15_000

/** The health of every platform; events keep it current. */
export function usePlatforms() {
  return useQuery({
    queryKey: keys.platforms,
    queryFn: readPlatforms,
    refetchInterval: ({ state }) => (state.data?.some(({ pause }) => pause !== null) === true ? pausedInterval : false),
  })
}

/** The action that tries one download of a paused platform at once. */
export function useTryNow() {
  const cache = useQueryClient()
  return useAction<Platform, PlatformHealth[]>({
    run: (platform) => answer(api.POST('/api/platforms/{platform}/try', { params: { path: { platform } } })),
    done: (_, platform) => `The wait is over; the next download from ${platformNames[platform]} is tried`,
    onDone: (health) => cache.setQueryData(keys.platforms, health),
  })
}

/** Seconds that are left of those a server named at a time, renewed each second. */
export function useSecondsLeft(seconds: number, readAt: number): number {
  const [now, setNow] = useState(() => Date.now())
  const isRunning = seconds > 0
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return Math.max(0, Math.ceil(seconds - (Math.max(now, readAt) - readAt) / 1000))
}
