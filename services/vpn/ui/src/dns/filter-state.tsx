import { Button, Menu } from '@mantine/core'
import { answer, StatusBadge, useAction, useSession } from '@hearth/ui'
import { IconChevronDown, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { api, type DnsStatus, keys } from '../api.ts'
import { pauseChoices, timeLeft } from './pause-times.ts'

/** Loaded when it opens: the overview is the first page, and shows it to few. */
const CustomPause = lazy(async () => ({ default: (await import('./custom-pause.tsx')).CustomPause }))

const renew = [keys.dnsStatus, keys.dnsSettings, keys.overview]

type FilterStatus = Pick<DnsStatus, 'running' | 'unavailable' | 'blocking' | 'health'>

/** Badge with the state of the filter; never green while names fail. */
export function FilterBadge({ status }: { status: FilterStatus }) {
  const left = useTimeLeft(status.blocking.paused_until)
  const has = (code: DnsStatus['health'][number]['code']) => status.health.some((notice) => notice.code === code)
  if (!status.running) return <StatusBadge tone="bad">Resolver does not run</StatusBadge>
  if (has('upstreams_failing')) return <StatusBadge tone="bad">DNS fails: no upstream answers</StatusBadge>
  if (status.unavailable !== null) return <StatusBadge tone="warn">No device can reach it</StatusBadge>
  if (!status.blocking.enabled) return <StatusBadge tone="warn">Filter is off</StatusBadge>
  if (left !== undefined)
    return (
      <StatusBadge tone="warn" icon={IconPlayerPause}>
        Paused, <span className="countdown">{left}</span> left
      </StatusBadge>
    )
  if (has('no_names')) return <StatusBadge tone="warn">Filter is on, but no list has names</StatusBadge>
  return <StatusBadge tone="good">Filter is on</StatusBadge>
}

/** Pause and resume; for administrators only, and only while the filter is on at all. */
export function PauseControl({ blocking, size = 'sm' }: { blocking: DnsStatus['blocking']; size?: 'xs' | 'sm' }) {
  const { isAdmin } = useSession()
  const left = useTimeLeft(blocking.paused_until)
  const resume = useAction<void, { message: string }>({ run: () => answer(api.POST('/api/dns/resume')), renew })
  const enable = useAction<void, { message: string }>({
    run: () => answer(api.PUT('/api/dns/settings', { body: { blocking_enabled: true } })),
    done: () => 'The filter is on',
    renew,
  })
  if (!isAdmin) return null
  if (blocking.enabled && left === undefined) return <PauseMenu size={size} />
  const { isPending, mutate } = blocking.enabled ? resume : enable
  return (
    <Button
      size={size}
      leftSection={<IconPlayerPlay size={16} aria-hidden />}
      loading={isPending}
      onClick={() => mutate()}
    >
      {blocking.enabled ? 'Resume now' : 'Switch the filter on'}
    </Button>
  )
}

function PauseMenu({ size }: { size: 'xs' | 'sm' }) {
  const [isCustom, setCustom] = useState(false)
  const pause = useAction<number, { message: string }>({
    run: (seconds) => answer(api.POST('/api/dns/pause', { body: { seconds } })),
    renew,
  })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            size={size}
            loading={pause.isPending}
            leftSection={<IconPlayerPause size={16} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            Pause filter
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {pauseChoices.map(({ label, seconds }) => (
            <Menu.Item key={label} onClick={() => pause.mutate(seconds(new Date()))}>
              {label}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => setCustom(true)}>Custom duration…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {isCustom && <CustomPause onClose={() => setCustom(false)} onPause={(seconds) => pause.mutate(seconds)} />}
      </Suspense>
    </>
  )
}

/** Returns the rest of a pause, updated every second. */
export function useTimeLeft(until: string | null): string | undefined {
  const second = useSyncExternalStore(until === null ? nothing : everySecond, presentSecond)
  return timeLeft(until, new Date(second * 1000))
}

const presentSecond = (): number => Math.floor(Date.now() / 1000)
const nothing = () => () => undefined

function everySecond(onChange: () => void): () => void {
  const timer = setInterval(onChange, 1000)
  return () => clearInterval(timer)
}
