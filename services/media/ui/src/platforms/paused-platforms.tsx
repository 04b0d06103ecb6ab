import { Button, Text } from '@mantine/core'
import { IconCookie, IconPlayerPlay } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { PlatformHealth } from '../api.ts'
import { ActionButton } from '../buttons.tsx'
import { PlatformIcon } from '../jobs/platform-icon.tsx'
import { pauseOutlook, pauseTitle } from './pause-text.ts'
import { usePlatforms, useSecondsLeft, useTryNow } from './use-platforms.ts'
import './platforms.css'

/** Platforms that refuse this server, with what can be done; nothing while all of them answer. */
export function PausedPlatforms() {
  const { data, dataUpdatedAt } = usePlatforms()
  const paused = (data ?? []).flatMap((health) => (health.pause === null ? [] : [{ health, pause: health.pause }]))
  if (paused.length === 0) return null
  return (
    <ul className="pauses" aria-label="Paused platforms">
      {paused.map(({ health, pause }) => (
        <PauseLine key={health.platform} health={health} pause={pause} readAt={dataUpdatedAt} />
      ))}
    </ul>
  )
}

interface PauseLineProps {
  health: PlatformHealth
  pause: NonNullable<PlatformHealth['pause']>
  /** Time at which the rest of the pause was read. */
  readAt: number
}

function PauseLine({ health: { platform, waiting, advice }, pause, readAt }: PauseLineProps) {
  const left = useSecondsLeft(pause.seconds_left, readAt)
  const tryNow = useTryNow()
  return (
    <li className="hearth-card pause">
      <PlatformIcon platform={platform} size={24} />
      <div className="pause-words">
        <Text fw={600}>{pauseTitle({ platform, reason: pause.reason })}</Text>
        <Text size="sm" c="dimmed" className="pause-outlook">
          {pauseOutlook(pause, waiting, left)}
        </Text>
      </div>
      <div className="pause-actions">
        <ActionButton
          icon={IconPlayerPlay}
          loading={tryNow.isPending}
          disabled={pause.is_probing || left === 0}
          onClick={() => tryNow.mutate(platform)}
        >
          Try now
        </ActionButton>
        <Button
          component={Link}
          href={`/settings?tab=cookies&platform=${platform}`}
          variant={advice === 'cookies' ? 'filled' : 'default'}
          leftSection={<IconCookie size={16} aria-hidden />}
        >
          Add cookies
        </Button>
      </div>
    </li>
  )
}
