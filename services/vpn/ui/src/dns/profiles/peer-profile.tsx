import { NativeSelect } from '@mantine/core'
import { answer, QueryState, useAction } from '@hearth/ui'
import { api, type Peer } from '../../api.ts'
import { profileRenewals, usePeerProfile, useProfiles } from './profile-queries.ts'
import { stateText } from './profile-words.ts'
import './profiles.css'

/** The profile of a peer: which it is, why, what holds now and what comes next. Administrators choose its own. */
export function PeerProfile({ peer, isAdmin }: { peer: Peer; isAdmin: boolean }) {
  const found = usePeerProfile(peer.id)
  const profiles = useProfiles()
  const assign = useAction<string | null, { message: string }>({
    run: (profile) =>
      answer(
        api.PUT('/api/dns/peer-profiles/{id}', { params: { path: { id: peer.id } }, body: { profile_id: profile } }),
      ),
    renew: profileRenewals,
  })
  if (found.data === undefined) return <QueryState query={found} lines={1} />
  const { assigned, by, via, own } = found.data
  return (
    <span className="peer-profile">
      <span className="wrap-anywhere">
        {assigned === null ? 'none' : assigned.name}
        {by === 'group' && `, by its group ${via ?? ''}`}
        {by === 'interface' && `, by its interface ${via ?? ''}`}
      </span>
      {assigned !== null && <small className="hearth-dimmed">{stateText(found.data, assigned.name)}</small>}
      {isAdmin && (profiles.data ?? []).length > 0 && (
        <NativeSelect
          aria-label={`Profile of ${peer.name}`}
          size="xs"
          disabled={assign.isPending}
          value={own?.id ?? ''}
          data={[
            { value: '', label: 'As its group or interface' },
            ...(profiles.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(event) => assign.mutate(event.currentTarget.value === '' ? null : event.currentTarget.value)}
        />
      )}
    </span>
  )
}
