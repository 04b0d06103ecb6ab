import { Button, Group, Text } from '@mantine/core'
import { formatCount, useAction } from '@hearth/ui'
import {
  IconCalendarX,
  IconGauge,
  IconPlayerPause,
  IconPlayerPlay,
  IconTag,
  IconTagOff,
  IconTrash,
  IconX,
} from '@tabler/icons-react'
import { useState } from 'react'
import type { Peer, PeerQuery } from '../api.ts'
import { maxSelected, readAllPeers, useBulkChange } from './bulk-actions.ts'
import { SetLimit } from './limits.tsx'
import { AddTag, DeletePeers, RemoveTag, type SelectedPeers, SetExpiry } from './bulk-dialogs.tsx'

interface BulkBarProps {
  selected: SelectedPeers
  /** The list as it is filtered, and the number of peers on all its pages. */
  query: PeerQuery
  total: number
  select: (peers: readonly Peer[]) => void
  clear: () => void
}

const dialogs = { tag: AddTag, untag: RemoveTag, expiry: SetExpiry, limit: SetLimit } as const

/** What can be done with the chosen peers; shown while there are some. */
export function BulkBar({ selected, query, total, select, clear }: BulkBarProps) {
  const [dialog, setDialog] = useState<keyof typeof dialogs | 'delete'>()
  const close = () => setDialog(undefined)
  if (selected.size === 0) return null
  const Dialog = dialog === undefined || dialog === 'delete' ? undefined : dialogs[dialog]
  const all = Math.min(total, maxSelected)
  return (
    <section className="bulk-bar" aria-label="Selected peers">
      <Group gap="xs">
        <Text component="output" fw={600}>
          {formatCount(selected.size, 'peer')} selected
        </Text>
        {selected.size < all && <SelectAll count={all} query={query} select={select} />}
        <Button size="xs" variant="subtle" leftSection={<IconX size={14} aria-hidden />} onClick={clear}>
          Clear selection
        </Button>
      </Group>
      <Group gap="xs">
        <SwitchButtons selected={selected} />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconTag size={14} aria-hidden />}
          onClick={() => setDialog('tag')}
        >
          Add tag
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconTagOff size={14} aria-hidden />}
          onClick={() => setDialog('untag')}
        >
          Remove tag
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconCalendarX size={14} aria-hidden />}
          onClick={() => setDialog('expiry')}
        >
          Set expiry
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconGauge size={14} aria-hidden />}
          onClick={() => setDialog('limit')}
        >
          Limit bandwidth
        </Button>
        <Button
          size="xs"
          variant="default"
          c="var(--hearth-bad)"
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={() => setDialog('delete')}
        >
          Delete
        </Button>
      </Group>
      {Dialog !== undefined && <Dialog selected={selected} onClose={close} />}
      {dialog === 'delete' && <DeletePeers selected={selected} onClose={close} onDeleted={clear} />}
    </section>
  )
}

function SwitchButtons({ selected }: { selected: SelectedPeers }) {
  const change = useBulkChange()
  const ids = [...selected.keys()]
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={change.isPending}
        leftSection={<IconPlayerPlay size={14} aria-hidden />}
        onClick={() => change.mutate({ action: 'enable', ids })}
      >
        Enable
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={change.isPending}
        leftSection={<IconPlayerPause size={14} aria-hidden />}
        onClick={() => change.mutate({ action: 'disable', ids })}
      >
        Disable
      </Button>
    </>
  )
}

function SelectAll(props: { count: number; query: PeerQuery; select: BulkBarProps['select'] }) {
  const { count, query, select } = props
  const read = useAction({ run: () => readAllPeers(query), onDone: select })
  return (
    <Button size="xs" variant="subtle" loading={read.isPending} onClick={() => read.mutate()}>
      Select all {count.toLocaleString('en')}
    </Button>
  )
}
