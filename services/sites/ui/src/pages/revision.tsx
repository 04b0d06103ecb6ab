import { Button, Group, Modal, SegmentedControl, Text } from '@mantine/core'
import {
  answer,
  ApiError,
  EmptyState,
  Fact,
  PageHeader,
  QueryState,
  RelativeTime,
  Section,
  StatusBadge,
  useAction,
  useDocumentTitle,
} from '@hearth/ui'
import { IconArrowBackUp, IconHistoryOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { IconButton } from '../controls/icon-button.tsx'
import { api, keys } from '../api.ts'
import { FoldedConfigDiff } from '../differences/config-diff.tsx'
import { SiteDiffs } from '../differences/site-diffs.tsx'
import { StateBanners } from '../drift/state-banners.tsx'
import { BackLink } from '../navigation/back-link.tsx'
import { readRevision, readRevisionDiff, type Revision } from '../revisions/read-revisions.ts'
import { OutcomeBadge } from '../revisions/revision-columns.tsx'
import { causeText, durationText, nodeOutcome } from '../revisions/revision-words.ts'

/** One change of what Caddy runs: what it was, how it went, and the way back to it. */
export function RevisionPage() {
  const { id } = useParams<{ id: string }>()
  const revision = useQuery({
    queryKey: [...keys.revisions, 'one', Number(id)],
    queryFn: () => readRevision(Number(id)),
  })
  if (revision.data !== undefined) return <OneRevision revision={revision.data} />
  if (revision.error instanceof ApiError && [400, 404].includes(revision.error.status)) return <NoSuchRevision />
  return <QueryState query={revision} lines={6} />
}

function OneRevision({ revision }: { revision: Revision }) {
  const [isReturning, setReturning] = useState(false)
  useDocumentTitle(`Revision ${revision.id}`, 'Sites')
  return (
    <>
      <BackLink href="/revisions">All revisions</BackLink>
      <PageHeader
        title={`Revision ${revision.id}`}
        description={causeText(revision.cause)}
        actions={
          <IconButton variant="filled" icon={IconArrowBackUp} onClick={() => setReturning(true)}>
            Return to it
          </IconButton>
        }
      />
      <StateBanners />
      <div className="hearth-stack">
        <Facts revision={revision} />
        <Differences key={revision.id} id={revision.id} />
      </div>
      {isReturning && <ReturnDialog id={revision.id} onClose={() => setReturning(false)} />}
    </>
  )
}

function Facts({ revision }: { revision: Revision }) {
  return (
    <Section title="How it went" actions={revision.is_current && <StatusBadge tone="accent">Runs now</StatusBadge>}>
      <dl className="hearth-facts" data-start>
        <Fact name="Outcome">
          <OutcomeBadge revision={revision} />
        </Fact>
        <Fact name="When">
          <RelativeTime value={revision.created_at} /> by {revision.author}
        </Fact>
        <Fact name="Took">{durationText(revision.duration_ms)}</Fact>
        <Fact name="Sites">
          {revision.site_count.toLocaleString('en')}, {revision.changed_sites.toLocaleString('en')} of them changed
        </Fact>
        <Fact name="Configuration">
          <span className="hearth-mono">{revision.config_sha256.slice(0, 16)}</span>
        </Fact>
        {revision.nodes.map((node) => (
          <Fact key={node.name} name={`Server ${node.name}`}>
            <NodeWords node={node} />
          </Fact>
        ))}
      </dl>
    </Section>
  )
}

function NodeWords({ node }: { node: Revision['nodes'][number] }) {
  const { tone, text } = nodeOutcome(node.outcome)
  return (
    <>
      <StatusBadge tone={tone}>{text}</StatusBadge>
      {node.text !== undefined && node.text !== '' && <p className="node-text hearth-mono">{node.text}</p>}
      {(node.refused ?? []).map(([siteId, words]) => (
        <p key={siteId} className="node-text">
          <Link href={`/sites/${siteId}`} className="hearth-link">
            Site {siteId}
          </Link>{' '}
          was refused: <span className="hearth-mono">{words}</span>
        </p>
      ))}
    </>
  )
}

function Differences({ id }: { id: number }) {
  const [against, setAgainst] = useState<'previous' | 'current'>('previous')
  const diff = useQuery({
    queryKey: [...keys.revisions, 'diff', id, against],
    queryFn: () => readRevisionDiff(id, against),
  })
  return (
    <Section
      title="What differs"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Compared with"
          value={against}
          onChange={(value) => setAgainst(value === 'current' ? 'current' : 'previous')}
          data={[
            { value: 'previous', label: 'It changed' },
            { value: 'current', label: 'Return would change' },
          ]}
        />
      }
    >
      <QueryState query={diff} lines={3} />
      {diff.data !== undefined && (
        <div className="field-stack">
          {diff.data.sites.length === 0 && <Text c="dimmed">No site differs.</Text>}
          <SiteDiffs diffs={diff.data.sites} isLinked />
          <FoldedConfigDiff changes={diff.data.config} total={diff.data.config_changes} />
        </div>
      )}
    </Section>
  )
}

function NoSuchRevision() {
  return (
    <EmptyState
      icon={IconHistoryOff}
      heading="h1"
      title="There is no such revision"
      action={
        <Button component={Link} href="/revisions" variant="default">
          All revisions
        </Button>
      }
    >
      Old revisions are deleted after a while.
    </EmptyState>
  )
}

/** Shows what returning to a revision would change, and does it when that is wanted. */
function ReturnDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const diff = useQuery({
    queryKey: [...keys.revisions, 'diff', id, 'current'],
    queryFn: () => readRevisionDiff(id, 'current'),
    staleTime: 0,
  })
  const action = useAction({
    run: () => answer(api.POST('/api/revisions/{id}/return', { params: { path: { id } } })),
    done: (result) => (result.synced ? `Everything is as revision ${id} left it` : result.detail),
    renew: [keys.revisions, keys.sites, keys.status],
    onDone: onClose,
  })
  const isSame = diff.data?.sites.length === 0
  return (
    <Modal opened onClose={onClose} size="xl" title={`Return to revision ${id}?`}>
      <div className="field-stack">
        <QueryState query={diff} lines={3} />
        {isSame && <Text>All sites are as this revision left them. There is nothing to return to.</Text>}
        {diff.data !== undefined && !isSame && (
          <>
            <Text>This becomes a new revision; you can return from it again. What it changes:</Text>
            <SiteDiffs diffs={diff.data.sites} />
            <FoldedConfigDiff changes={diff.data.config} total={diff.data.config_changes} />
          </>
        )}
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button variant="default" onClick={onClose} data-autofocus>
            {isSame ? 'Close' : 'Stay as it is'}
          </Button>
          {!isSame && (
            <IconButton
              variant="filled"
              icon={IconArrowBackUp}
              disabled={diff.data === undefined}
              loading={action.isPending}
              onClick={() => action.mutate()}
            >
              Return
            </IconButton>
          )}
        </Group>
      </div>
    </Modal>
  )
}
