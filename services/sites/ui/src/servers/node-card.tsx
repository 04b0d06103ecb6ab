import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { answer, Fact, RelativeTime, saveFile, StatusBadge, useAction } from '@hearth/ui'
import {
  IconAlertTriangle,
  IconDownload,
  IconPencil,
  IconPlugConnected,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { IconButton } from '../controls/icon-button.tsx'
import { api, keys, type Node } from '../api.ts'
import { EditNode, OnboardNode, RemoveNode } from './node-dialogs.tsx'
import { describeBind, describeReach, missingAbilities, nodeStates } from './node-words.ts'

/** One Caddy server: how it stands, where it is, and what it cannot. */
export function NodeCard({ node, isFirst }: { node: Node; isFirst: boolean }) {
  const state = nodeStates[node.state]
  return (
    <section className="hearth-card" aria-label={`Server ${node.name}`}>
      <div className="hearth-card-head">
        <Group gap="sm">
          <h2 className="node-name">{node.name}</h2>
          <StatusBadge tone={state.tone}>{state.text}</StatusBadge>
        </Group>
        <NodeActions node={node} isFirst={isFirst} />
      </div>
      <Stack gap="md">
        {node.error !== null && !node.reachable && (
          <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />}>
            <p className="alert-text">{describeReach(node.error)}</p>
          </Alert>
        )}
        <NodeFacts node={node} />
        {node.warnings.length > 0 && (
          <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />}>
            <ul className="alert-list">
              {node.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </Alert>
        )}
        {node.state === 'drifted' && (
          <Text>
            Somebody else changed its configuration.{' '}
            <Link className="hearth-link" href="/drift">
              See what differs
            </Link>
          </Text>
        )}
        <Abilities node={node} />
        {node.reachable && <Authority node={node} />}
      </Stack>
    </section>
  )
}

function NodeFacts({ node }: { node: Node }) {
  return (
    <dl className="hearth-facts node-facts" data-start>
      <div>
        <dt>Admin endpoint</dt>
        <dd className={node.is_own ? undefined : 'hearth-mono'}>
          {node.is_own ? 'Run by this service' : node.admin_url}
        </dd>
      </div>
      <Fact name="Ports">
        {node.http_port} and {node.https_port}
      </Fact>
      <Fact name="Listens at">{describeBind(node.bind)}</Fact>
      <Fact name="Version">{node.version ?? 'Unknown'}</Fact>
      <div>
        <dt>Access log</dt>
        <dd className="hearth-mono">{node.log_file ?? 'None'}</dd>
      </div>
      <Fact name="Last checked">
        <RelativeTime value={node.checked_at} />
      </Fact>
    </dl>
  )
}

function Abilities({ node }: { node: Node }) {
  const missing = missingAbilities(node)
  if (missing === undefined) return null
  if (missing.length === 0) return <Text c="dimmed">It supports all settings of sites.</Text>
  return (
    <details className="abilities">
      <summary>
        An older Caddy: {missing.length} {missing.length === 1 ? 'thing it cannot do' : 'things it cannot do'}
      </summary>
      <ul>
        {missing.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  )
}

/** Saves the certificate of the authority inside a Caddy, for devices that are to trust it. */
function Authority({ node }: { node: Node }) {
  const save = useAction<void, string>({
    run: async () => {
      const read = api.GET('/api/nodes/{id}/authority', { params: { path: { id: node.id } }, parseAs: 'text' })
      return answer(read)
    },
    done: () => 'Import the file where devices keep the authorities they trust',
    onDone: (text) => saveFile(`caddy-authority-${node.name}.pem`, text),
  })
  return (
    <Group gap="sm">
      <IconButton
        icon={IconDownload}
        size="xs"
        aria-label={`Save its authority: ${node.name}`}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        Save its authority
      </IconButton>
      <Text size="sm" c="dimmed" flex="1 1 240px">
        Devices that trust it accept sites whose certificates Caddy signs itself.
      </Text>
    </Group>
  )
}

/** Checks the server at once instead of at the next interval. */
function CheckNow({ node }: { node: Node }) {
  const cache = useQueryClient()
  const check = useAction<void, Node>({
    run: () => answer(api.GET('/api/nodes/{id}', { params: { path: { id: node.id } } })),
    done: (fresh) => (fresh.reachable ? `${fresh.name} answers` : `${fresh.name} does not answer`),
    onDone: (fresh) =>
      cache.setQueryData<Node[]>(keys.nodes, (nodes) => nodes?.map((one) => (one.id === fresh.id ? fresh : one))),
  })
  return (
    <IconButton
      icon={IconRefresh}
      size="xs"
      aria-label={`Check now: ${node.name}`}
      loading={check.isPending}
      onClick={() => check.mutate()}
    >
      Check now
    </IconButton>
  )
}

function NodeActions({ node, isFirst }: { node: Node; isFirst: boolean }) {
  const [dialog, setDialog] = useState<'edit' | 'remove' | 'onboard'>()
  const close = () => setDialog(undefined)
  return (
    <Group gap="xs" className="node-actions">
      <CheckNow node={node} />
      {!node.onboarded && isFirst && (
        <Button
          component={Link}
          href="/onboarding"
          size="xs"
          leftSection={<IconPlugConnected size={14} aria-hidden />}
          aria-label={`Take over ${node.name}`}
        >
          Take over
        </Button>
      )}
      {!node.onboarded && !isFirst && (
        <IconButton
          variant="filled"
          icon={IconPlugConnected}
          size="xs"
          aria-label={`Let it serve: ${node.name}`}
          onClick={() => setDialog('onboard')}
        >
          Let it serve
        </IconButton>
      )}
      <IconButton icon={IconPencil} size="xs" aria-label={`Edit ${node.name}`} onClick={() => setDialog('edit')}>
        Edit
      </IconButton>
      {!isFirst && (
        <IconButton
          icon={IconTrash}
          size="xs"
          c="var(--hearth-bad)"
          aria-label={`Forget ${node.name}`}
          onClick={() => setDialog('remove')}
        >
          Forget
        </IconButton>
      )}
      {dialog === 'edit' && <EditNode node={node} isFirst={isFirst} onClose={close} />}
      {dialog === 'remove' && <RemoveNode node={node} onClose={close} />}
      {dialog === 'onboard' && <OnboardNode node={node} onClose={close} />}
    </Group>
  )
}
