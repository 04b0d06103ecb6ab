import { Button } from '@mantine/core'
import { answer, ConfirmDelete, Fact, formatCount, StatusBadge, useAction } from '@hearth/ui'
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { api, type DnsProfile } from '../../api.ts'
import { RowMenu } from '../../sections/row-menu.tsx'
import { pauseChoices } from '../pause-times.ts'
import { profileRenewals, useServices } from './profile-queries.ts'
import { noProfile, stateText, timeTexts } from './profile-words.ts'

/** What is to be done with a profile. */
export type ProfileDialog = { kind: 'edit' | 'delete'; profile: DnsProfile }

/** Profiles with what holds now and what comes next; without `onOpen` they are only read. */
export function ProfileList(props: {
  profiles: readonly DnsProfile[]
  onOpen: ((dialog: ProfileDialog) => void) | undefined
}) {
  const { profiles, onOpen } = props
  return (
    <ul className="profile-list" aria-label="Profiles">
      {profiles.map((profile) => (
        <li key={profile.id} className="profile-card">
          <div>
            <h2>{profile.name}</h2>
            <ProfileState profile={profile} />
          </div>
          {onOpen !== undefined && <Actions profile={profile} onOpen={onOpen} />}
          <dl className="hearth-facts">
            {factsOf(profile, profiles).map(([name, value]) => (
              <Fact key={name} name={name}>
                {value}
              </Fact>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  )
}

function ProfileState({ profile: { name, state } }: { profile: DnsProfile }) {
  const isOn = state.holds?.name === name && state.paused_until === null
  return (
    <p className="profile-state">
      <StatusBadge tone={isOn ? 'good' : 'quiet'}>{stateText(state, name)}</StatusBadge>
    </p>
  )
}

function factsOf(profile: DnsProfile, profiles: readonly DnsProfile[]): [string, ReactNode][] {
  const { lists, rules, schedule, interfaces, groups, peer_count: peers } = profile
  const whom = [
    ...(peers === 0 ? [] : [formatCount(peers, 'device')]),
    ...groups.map(({ name }) => `group ${name}`),
    ...interfaces.map((name) => `interface ${name}`),
  ]
  const other = schedule === null ? undefined : profiles.find(({ id }) => id === schedule.otherwise)
  const filters = [
    lists === null ? 'all lists' : lists.length === 0 ? 'no list' : formatCount(lists.length, 'list'),
    ...(rules.length === 0 ? [] : [formatCount(rules.length, 'rule')]),
    ...(profile.safe_search ? ['safe search'] : []),
    ...(profile.youtube === null ? [] : [`YouTube ${profile.youtube}`]),
  ]
  return [
    ['For', whom.length === 0 ? 'nobody yet' : whom.join(', ')],
    ['Filters by', filters.join(', ')],
    ...(profile.services.length === 0
      ? []
      : [['Off', <ServiceNames key="services" ids={profile.services} />] as [string, ReactNode]]),
    ...(schedule === null
      ? []
      : ([
          ['When', [...timeTexts(schedule), ...(schedule.time_zone === null ? [] : [schedule.time_zone])].join('; ')],
          ['Otherwise', other?.name ?? noProfile],
        ] satisfies [string, ReactNode][])),
  ]
}

function ServiceNames({ ids }: { ids: readonly string[] }) {
  const services = useServices().data ?? []
  return <>{ids.map((id) => services.find((service) => service.id === id)?.name ?? id).join(', ')}</>
}

function Actions({ profile, onOpen }: { profile: DnsProfile; onOpen: (dialog: ProfileDialog) => void }) {
  const { id, name, state } = profile
  const pause = useAction<number, { message: string }>({
    run: (seconds) => answer(api.POST('/api/dns/profiles/{id}/pause', { params: { path: { id } }, body: { seconds } })),
    renew: profileRenewals,
  })
  const resume = useAction<void, { message: string }>({
    run: () => answer(api.POST('/api/dns/profiles/{id}/resume', { params: { path: { id } } })),
    renew: profileRenewals,
  })
  const isPaused = state.paused_until !== null && state.holds?.id === id
  const pauses = pauseChoices.map(({ label, seconds }) => ({
    label: `Pause ${label[0]?.toLowerCase() ?? ''}${label.slice(1)}`,
    icon: IconPlayerPause,
    onClick: () => pause.mutate(seconds(new Date())),
  }))
  return (
    <div className="profile-actions">
      {isPaused && (
        <Button
          size="xs"
          variant="default"
          loading={resume.isPending}
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          onClick={() => resume.mutate()}
        >
          Resume
        </Button>
      )}
      <RowMenu
        label={`More for ${name}`}
        entries={[
          { label: 'Edit', icon: IconPencil, onClick: () => onOpen({ kind: 'edit', profile }) },
          ...(isPaused ? [] : pauses),
          { label: 'Delete', icon: IconTrash, onClick: () => onOpen({ kind: 'delete', profile }), isDestructive: true },
        ]}
      />
    </div>
  )
}

/** Dialog that confirms the deletion of a profile. */
export function DeleteProfile({ profile, onClose }: { profile: DnsProfile; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete the profile ${profile.name}?`}
      verb="Delete profile"
      losses={['Its rules, services and times', 'Its devices are filtered by the settings for all devices']}
      action={{
        run: () => answer(api.DELETE('/api/dns/profiles/{id}', { params: { path: { id: profile.id } } })),
        renew: profileRenewals,
      }}
    />
  )
}
