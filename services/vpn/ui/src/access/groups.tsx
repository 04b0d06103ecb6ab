import { Button, Text } from '@mantine/core'
import { EmptyState, formatCount, QueryState, Section, useSession } from '@hearth/ui'
import { IconPencil, IconPlus, IconTrash, IconUsersGroup } from '@tabler/icons-react'
import { useState } from 'react'
import type { AccessGroup } from '../api.ts'
import { RowMenu } from '../sections/row-menu.tsx'
import { useGroups } from './access-queries.ts'
import { GroupName } from './group-badge.tsx'
import { DeleteGroup, GroupForm } from './group-dialogs.tsx'

type GroupDialog = { kind: 'create' } | { kind: 'edit' | 'delete'; group: AccessGroup }

/** Groups of devices that rules speak of. */
export function Groups() {
  const { isAdmin } = useSession()
  const groups = useGroups()
  const [dialog, setDialog] = useState<GroupDialog>()
  const close = () => setDialog(undefined)
  const add = isAdmin && (
    <Button
      variant="default"
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setDialog({ kind: 'create' })}
    >
      Add group
    </Button>
  )
  const isEmpty = groups.data?.length === 0
  return (
    <Section title="Groups" actions={isEmpty ? undefined : add}>
      <QueryState query={groups} lines={3} />
      {isEmpty && (
        <EmptyState icon={IconUsersGroup} title="No groups yet" action={add}>
          Put devices together, such as Guests or Printers, to write one rule for all of them.
        </EmptyState>
      )}
      <ul className="access-list" aria-label="Groups">
        {groups.data?.map((group) => (
          <li key={group.id}>
            <span className="access-main">
              <GroupName group={group} />
              <Text c="dimmed" size="sm">
                {formatCount(group.member_count, 'device')}
                {group.tags.length === 0 ? '' : `, tagged ${group.tags.join(' or ')}`}
                {group.rule_count === 0 ? ', in no rule' : `, in ${formatCount(group.rule_count, 'rule')}`}
              </Text>
            </span>
            {isAdmin && (
              <RowMenu
                label={`More for ${group.name}`}
                entries={[
                  { label: 'Edit', icon: IconPencil, onClick: () => setDialog({ kind: 'edit', group }) },
                  {
                    label: 'Delete',
                    icon: IconTrash,
                    onClick: () => setDialog({ kind: 'delete', group }),
                    isDestructive: true,
                  },
                ]}
              />
            )}
          </li>
        ))}
      </ul>
      {dialog?.kind === 'create' && <GroupForm onClose={close} />}
      {dialog?.kind === 'edit' && <GroupForm group={dialog.group} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteGroup group={dialog.group} onClose={close} />}
    </Section>
  )
}
