import './access.css'
import { QueryState } from '@hearth/ui'
import type { AccessGroup } from '../api.ts'
import { useGroups } from './access-queries.ts'

/** A group's name with its colour. */
export function GroupName({ group }: { group: Pick<AccessGroup, 'name' | 'color'> }) {
  return (
    <span className="access-group-name">
      <span className="access-dot" aria-hidden style={{ background: `var(--mantine-color-${group.color}-6)` }} />
      <span className="hearth-name wrap-anywhere">{group.name}</span>
    </span>
  )
}

/** Groups that a peer is in, by hand or by tag. */
export function PeerGroups({ id }: { id: string }) {
  const groups = useGroups(id)
  if (groups.data === undefined) return <QueryState query={groups} lines={1} />
  if (groups.data.length === 0) return <>none</>
  return (
    <span className="access-group-list">
      {groups.data.map((group) => (
        <GroupName key={group.id} group={group} />
      ))}
    </span>
  )
}
