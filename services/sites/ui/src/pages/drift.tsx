import { Button, Group, Modal, Text } from '@mantine/core'
import { answer, EmptyState, PageHeader, QueryState, RelativeTime, Section, useAction } from '@hearth/ui'
import { IconArrowBigDownLine, IconCircleCheck, IconRestore } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { IconButton } from '../controls/icon-button.tsx'
import { api, keys } from '../api.ts'
import { ConfigDiff } from '../differences/config-diff.tsx'
import { type Drift, useDrift } from '../drift/read-status.ts'

/** Changes of the Caddy servers by somebody else, with buttons that restore or adopt them. */
export function DriftPage() {
  const drift = useDrift()
  const [dialog, setDialog] = useState<'adopt' | 'restore'>()
  const found = drift.data ?? []
  return (
    <>
      <PageHeader
        title="Drift"
        description="What runs in Caddy and was not made here."
        actions={
          found.length > 0 && (
            <Group gap="sm">
              <IconButton icon={IconArrowBigDownLine} onClick={() => setDialog('adopt')}>
                Adopt
              </IconButton>
              <IconButton variant="filled" icon={IconRestore} onClick={() => setDialog('restore')}>
                Restore
              </IconButton>
            </Group>
          )
        }
      />
      <QueryState query={drift} lines={4} />
      {drift.data !== undefined && found.length === 0 && (
        <EmptyState icon={IconCircleCheck} title="Caddy runs what it should">
          Nobody else has changed anything.
        </EmptyState>
      )}
      <div className="hearth-stack">
        {found.map((one) => (
          <NodeDrift key={one.node_id} drift={one} />
        ))}
      </div>
      {dialog === 'restore' && <RestoreDialog drifts={found} onClose={() => setDialog(undefined)} />}
      {dialog === 'adopt' && <AdoptDialog drifts={found} onClose={() => setDialog(undefined)} />}
    </>
  )
}

function NodeDrift({ drift }: { drift: Drift }) {
  return (
    <Section title={`Server ${drift.node_name}`}>
      <Text c="dimmed" size="sm" mb="sm">
        Seen <RelativeTime value={drift.since} />. “−” is what was applied from here, “+” is what runs now.
      </Text>
      <ConfigDiff changes={drift.changes} total={drift.change_count} />
    </Section>
  )
}

function RestoreDialog({ drifts, onClose }: { drifts: readonly Drift[]; onClose: () => void }) {
  const places = drifts.reduce((sum, { change_count: count }) => sum + count, 0)
  const restore = useAction({
    run: () => answer(api.POST('/api/caddy/drift/restore')),
    done: (result) => (result.synced ? 'Caddy runs what is wanted here again' : result.detail),
    renew: [keys.status, keys.revisions, keys.nodes, keys.sites],
    onDone: onClose,
  })
  return (
    <Decision title="Restore what is wanted here?" verb="Restore" color="red" action={restore} onClose={onClose}>
      What somebody else changed is lost on {drifts.map(({ node_name: name }) => name).join(', ')}: {places}{' '}
      {places === 1 ? 'place' : 'places'} of the configuration. Changes that waited are applied along with it.
    </Decision>
  )
}

function AdoptDialog({ drifts, onClose }: { drifts: readonly Drift[]; onClose: () => void }) {
  const [first] = drifts
  const adopt = useAction({
    run: () =>
      answer(api.POST('/api/caddy/drift/adopt', { body: first === undefined ? {} : { node_id: first.node_id } })),
    done: ({ changed, added, switched_off: off, lost }) =>
      `Adopted: ${changed} changed, ${added} added, ${off} switched off${lost.length === 0 ? '' : `; ${lost.length === 1 ? '1 part that no site can have is' : `${lost.length} parts that no site can have are`} gone`}`,
    renew: [keys.status, keys.revisions, keys.nodes, keys.sites],
    onDone: onClose,
  })
  return (
    <Decision title="Adopt what somebody else changed?" verb="Adopt" action={adopt} onClose={onClose}>
      The sites become what runs on {first?.node_name} now: changed members are taken over, new hosts become sites, and
      sites that were taken away are switched off. What no site can have is lost, and the answer names it.
    </Decision>
  )
}

interface DecisionProps {
  readonly title: string
  readonly verb: string
  readonly color?: string
  readonly action: { readonly isPending: boolean; mutate(): void }
  readonly onClose: () => void
  readonly children: ReactNode
}

function Decision({ title, verb, color, action, onClose, children }: DecisionProps) {
  return (
    <Modal opened onClose={onClose} title={title}>
      <Text>{children}</Text>
      <Group justify="flex-end" mt="md" className="hearth-dialog-actions">
        <Button variant="default" onClick={onClose} data-autofocus>
          Leave it
        </Button>
        <Button {...(color !== undefined && { color })} loading={action.isPending} onClick={() => action.mutate()}>
          {verb}
        </Button>
      </Group>
    </Modal>
  )
}
