import { Alert, Text } from '@mantine/core'
import { describeError, Section, StatusBadge } from '@hearth/ui'
import { IconLoader2, IconMessageReport, IconPlugConnectedX } from '@tabler/icons-react'
import { FoldedConfigDiff } from '../differences/config-diff.tsx'
import { nameOfField } from '../differences/field-names.ts'
import { type SiteDiff, SiteDiffs } from '../differences/site-diffs.tsx'
import type { SitePatch } from '../sites/site.ts'
import { failureText } from '../sites/upstreams.ts'
import { typedMembers } from './draft.ts'
import type { Issue } from './issues.ts'
import type { Checked, Preview, UpstreamCheck } from './draft-checks.ts'

interface PanelProps {
  readonly checked: Checked
  /** Those a person should see by now. */
  readonly issues: readonly Issue[]
  /** Upstreams that accept no connection. */
  readonly down: readonly UpstreamCheck[]
  /** Body of the request that saves; for a new site every member that is not the default. */
  readonly changes: SitePatch
  readonly isNew: boolean
  readonly onFind: (field: string) => void
}

/** Shows what saving would do: whether it is valid, whether upstreams answer, what changes, and how Caddy's configuration differs. */
export function PreviewPanel(props: PanelProps) {
  const { checked, issues, down, changes, isNew, onFind } = props
  const { preview, isChecking, problem } = checked
  const isChanged = Object.keys(changes).length > 0
  const diffs = preview === undefined ? [] : withMembers(preview.sites, isNew ? changes : undefined)
  return (
    <Section title="Preview" actions={isChanged && <Verdict {...props} />}>
      <div className="field-stack" aria-live="polite" aria-busy={isChecking || undefined}>
        {!isChanged && (
          <Text c="dimmed" size="sm">
            Changes are checked and shown here before they are saved.
          </Text>
        )}
        {problem !== undefined && <Text size="sm">{describeError(problem)}</Text>}
        <IssueList issues={issues} onFind={onFind} />
        {down.length > 0 && <DownList down={down} />}
        {preview !== undefined && <Words preview={preview} />}
        {diffs.length > 0 && <SiteDiffs diffs={diffs} />}
        {preview !== undefined && preview.config_changes > 0 && (
          <FoldedConfigDiff changes={preview.config} total={preview.config_changes} />
        )}
      </div>
    </Section>
  )
}

/** Shows a new site with the members that were typed, without passwords. */
function withMembers(diffs: readonly SiteDiff[], typed: SitePatch | undefined): SiteDiff[] {
  const fields = typed === undefined ? [] : typedMembers(typed)
  return diffs.map((diff) => (typed !== undefined && diff.change === 'added' ? { ...diff, fields } : diff))
}

function Verdict({ checked, issues, down }: Pick<PanelProps, 'checked' | 'issues' | 'down'>) {
  const { preview, isChecking, issues: all } = checked
  if (isChecking)
    return (
      <StatusBadge tone="quiet" icon={IconLoader2}>
        Checking
      </StatusBadge>
    )
  if (issues.length > 0) return <StatusBadge tone="warn">Fix first</StatusBadge>
  if (all.length > 0) return <StatusBadge tone="quiet">Not complete</StatusBadge>
  if (preview?.is_good === false) return <StatusBadge tone="bad">Caddy refuses it</StatusBadge>
  if (preview?.is_good !== true) return <StatusBadge tone="quiet">Not checked by Caddy</StatusBadge>
  if (down.length > 0) return <StatusBadge tone="warn">Valid, but {downText(down.length)}</StatusBadge>
  return <StatusBadge tone="good">Valid</StatusBadge>
}

/** The number of upstreams that are down, as a sentence without a full stop. */
export const downText = (count: number): string => (count === 1 ? '1 upstream is down' : `${count} upstreams are down`)

/** A warning, no refusal: the application may be started later. */
function DownList({ down }: { down: readonly UpstreamCheck[] }) {
  return (
    <Alert color="yellow" icon={<IconPlugConnectedX aria-hidden />} title="Visitors would get an error">
      <ul className="note-list" aria-label="Upstreams that are down">
        {down.map(({ url, reason }) => (
          <li key={url}>
            <span className="hearth-mono">{url}</span>: {failureText(reason)}.
          </li>
        ))}
      </ul>
    </Alert>
  )
}

function IssueList({ issues, onFind }: { issues: readonly Issue[]; onFind: (field: string) => void }) {
  if (issues.length === 0) return null
  return (
    <ul className="issue-list" aria-label="Fix first">
      {issues.map(({ field, message }) => (
        <li key={`${field} ${message}`}>
          <button type="button" className="issue-field" onClick={() => onFind(field)}>
            {nameOfField(field)}
          </button>{' '}
          {message}
        </li>
      ))}
    </ul>
  )
}

function Words({ preview }: { preview: Preview }) {
  return (
    <>
      {preview.caddy_error !== null && <CaddyWords words={preview.caddy_error} />}
      {preview.notes.length > 0 && (
        <ul className="note-list" aria-label="Worth knowing">
          {preview.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  )
}

/** An alert with Caddy's own error message. */
export function CaddyWords({ words, title = 'Caddy refuses it' }: { words: string; title?: string }) {
  return (
    <Alert color="red" icon={<IconMessageReport aria-hidden />} title={title} className="caddy-words" role="alert">
      <span className="hearth-mono">{words}</span>
    </Alert>
  )
}
