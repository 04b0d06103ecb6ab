import { Button, Group, Switch, Text } from '@mantine/core'
import { answer, EmptyState, PageHeader, QueryState, RelativeTime, StatusBadge, useAction } from '@hearth/ui'
import { IconPencil, IconRefresh, IconRepeat } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, keys, type Follow } from '../api.ts'
import { ActionButton, DeleteButton } from '../buttons.tsx'
import { shortAddress, toIsoString } from '../jobs/job.ts'
import { FactsLine, PlatformName } from '../jobs/job-facts.tsx'
import { kindOf } from '../jobs/job-labels.ts'
import { FollowDialog } from '../lists/follow-dialog.tsx'
import { filterText, intervals } from '../lists/follow-values.ts'
import { WaitingImports } from '../lists/waiting-imports.tsx'

/** Followed playlists and channels. */
export function FollowedPage() {
  const follows = useQuery({ queryKey: keys.followed, queryFn: () => answer(api.GET('/api/followed')) })
  return (
    <>
      <PageHeader title="Followed lists" description="What is added to them is downloaded, each medium once." />
      <div className="hearth-stack">
        <WaitingImports />
        <QueryState query={follows} lines={4} />
        {follows.data?.length === 0 && <NoFollows />}
        {follows.data?.map((follow) => (
          <FollowCard key={follow.id} follow={follow} />
        ))}
      </div>
    </>
  )
}

function NoFollows() {
  return (
    <EmptyState
      icon={IconRepeat}
      title="No list is followed"
      action={
        <Button component={Link} href="/">
          To the downloads
        </Button>
      }
    >
      Paste the address of a playlist or channel there, and choose “Follow”.
    </EmptyState>
  )
}

function FollowCard({ follow }: { follow: Follow }) {
  const { id, url, title, is_enabled: isEnabled } = follow
  const name = title ?? url
  const [isChanging, setChanging] = useState(false)
  const path = { params: { path: { id } } }
  const check = useAction({
    run: () => answer(api.POST('/api/followed/{id}/check', path)),
    done: () => `${name} is checked`,
    renew: [keys.followed],
  })
  const enable = useAction<boolean>({
    run: (is_enabled) => answer(api.PATCH('/api/followed/{id}', { ...path, body: { is_enabled } })),
    done: (_, isOn) => (isOn ? `${name} is followed again` : `${name} is not checked any more`),
    renew: [keys.followed],
  })
  return (
    <section className="hearth-card" aria-label={name}>
      <div className="hearth-card-head">
        <Text fw={600} className="follow-name">
          {name}
        </Text>
        <FollowState follow={follow} />
      </div>
      <FollowFacts follow={follow} />
      <Group gap="xs" mt="sm">
        <ActionButton
          icon={IconRefresh}
          size="xs"
          disabled={!isEnabled}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          Check now
        </ActionButton>
        <ActionButton icon={IconPencil} size="xs" onClick={() => setChanging(true)}>
          Change
        </ActionButton>
        <DeleteButton
          size="xs"
          title={`Follow “${name}” no longer?`}
          losses={['What only it waits for is forgotten; its downloads stay', 'Followed again, it begins anew']}
          verb="Unfollow"
          action={{
            run: () => answer(api.DELETE('/api/followed/{id}', path)),
            done: () => 'The list is not followed any more',
            renew: [keys.followed, keys.imports],
          }}
        >
          Unfollow
        </DeleteButton>
        <Switch
          label="Enabled"
          checked={isEnabled}
          disabled={enable.isPending}
          onChange={(event) => enable.mutate(event.currentTarget.checked)}
        />
      </Group>
      {isChanging && <FollowDialog list={follow} follow={follow} onClose={() => setChanging(false)} />}
    </section>
  )
}

function FollowState({ follow: { is_enabled, is_checking, failures, error_code } }: { follow: Follow }) {
  if (!is_enabled) return <StatusBadge tone="quiet">Disabled</StatusBadge>
  if (is_checking) return <StatusBadge tone="accent">Checking</StatusBadge>
  if (failures > 0 || error_code !== null) return <StatusBadge tone="warn">Failed</StatusBadge>
  return <StatusBadge tone="good">Followed</StatusBadge>
}

function FollowFacts({ follow }: { follow: Follow }) {
  const { platform, every_minutes, checked_at, next_at, known, message, url } = follow
  const filter = filterText(follow)
  return (
    <>
      <FactsLine>
        <PlatformName platform={platform} />
        {kindOf(follow)}
        {intervals.find(({ value }) => value === String(every_minutes))?.label ?? `Every ${every_minutes} minutes`}
        {`${known} known`}
        <>
          Checked <RelativeTime value={checked_at === null ? null : toIsoString(checked_at)} />
        </>
        {next_at !== null && (
          <>
            Next <RelativeTime value={toIsoString(next_at)} />
          </>
        )}
      </FactsLine>
      {filter !== '' && (
        <Text size="sm" c="dimmed">
          Only {filter}
        </Text>
      )}
      {message !== null && (
        <Text size="sm" className="job-reason">
          {message}
        </Text>
      )}
      <Text size="sm">
        <a className="hearth-link" href={url} target="_blank" rel="noreferrer noopener">
          {shortAddress(url)}
        </a>
      </Text>
    </>
  )
}
