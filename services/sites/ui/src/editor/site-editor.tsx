import { Accordion, Button, Text } from '@mantine/core'
import { formatCount, Problem, StatusBadge } from '@hearth/ui'
import { useHotkeys } from '@mantine/hooks'
import { IconCircleDot } from '@tabler/icons-react'
import { type FormEvent, useRef, useState } from 'react'
import { nameOfField } from '../differences/field-names.ts'
import type { Site } from '../sites/site.ts'
import { BasicSection } from './basic-section.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { changesOf, type Draft, draftOf } from './draft.ts'
import { EditingProvider } from './fields.tsx'
import { countIssues, shownIssues } from './issues.ts'
import { LeaveGuard } from './leave-guard.tsx'
import { CaddyWords, downText, PreviewPanel } from './preview-panel.tsx'
import { editorSections } from './sections.tsx'
import { useEditor } from './use-editor.ts'
import { usePreview, useUpstreamCheck } from './draft-checks.ts'
import './editor.css'

/** The form of a site beside what saving it would do. */
export function SiteEditor({ site, onSaved }: { site?: Site; onSaved: (site: Site) => void }) {
  const editor = useEditor(site, onSaved)
  const form = useRef<HTMLFormElement>(null)
  const [open, setOpen] = useState<string[]>([])
  const { base, draft, set, conflict } = editor
  const changes = changesOf(base, draft)
  const changed = Object.keys(changes)
  const isDirty = changed.length > 0
  const checked = usePreview(site?.id, isDirty ? changes : undefined)
  const down = useUpstreamCheck(draft, isDirty)
  const isJudged = site !== undefined || editor.wasSent
  const issues = shownIssues(editor.issues.length > 0 ? editor.issues : checked.issues, { base, draft, isJudged })

  const find = (field: string) => {
    const [member] = field.split('.')
    const section = editorSections.find(({ members }) => members.some((name) => name === member))
    if (section !== undefined) setOpen((names) => [...new Set([...names, section.name])])
    setTimeout(() => focusInvalid(form.current, section?.name), 250)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isDirty) editor.save()
  }
  useHotkeys([['mod+S', () => form.current?.requestSubmit()]], [])
  return (
    <EditingProvider value={{ draft, base, issues, set }}>
      <form ref={form} className="editor" onSubmit={submit} noValidate aria-label="Site">
        <div className="editor-form">
          {site !== undefined && site.apply_state === 'failed' && site.last_error !== null && !isDirty && (
            <CaddyWords
              words={site.last_error}
              title="Caddy refused this site; it is served as it was before, if at all"
            />
          )}
          <BasicSection />
          <FoldedSections open={open} onOpen={setOpen} changed={changed} issues={issues} draft={draft} />
          <SaveBar editor={editor} isNew={site === undefined} changed={changed} down={down.length} />
        </div>
        <aside className="editor-preview">
          <PreviewPanel
            checked={checked}
            issues={issues}
            down={down}
            changes={changes}
            isNew={site === undefined}
            onFind={find}
          />
        </aside>
      </form>
      <LeaveGuard isDirty={isDirty && !editor.isSaving} />
      {conflict !== undefined && (
        <ConflictDialog
          base={base}
          mine={draft}
          stored={draftOf(conflict)}
          onClose={() => editor.setConflict(undefined)}
          onKeepMine={() => editor.saveOver(conflict)}
          onTakeTheirs={() => editor.reset(conflict)}
        />
      )}
    </EditingProvider>
  )
}

function focusInvalid(form: HTMLElement | null, section: string | undefined): void {
  const place = section === undefined ? form : form?.querySelector<HTMLElement>(`[data-section="${section}"]`)
  const input = place?.querySelector<HTMLElement>('[aria-invalid=true]') ?? place
  input?.focus()
  input?.scrollIntoView({ block: 'center' })
}

interface FoldedProps {
  open: string[]
  onOpen: (names: string[]) => void
  changed: readonly string[]
  issues: Parameters<typeof countIssues>[0]
  draft: Draft
}

function FoldedSections({ open, onOpen, changed, issues, draft }: FoldedProps) {
  return (
    <Accordion multiple value={open} onChange={onOpen} className="editor-sections" chevronPosition="left" order={2}>
      {editorSections
        .filter(({ fits }) => fits?.(draft) ?? true)
        .map(({ name, title, members, summary, Content }) => {
          const wrong = countIssues(issues, members)
          const isChanged = members.some((member) => changed.includes(member))
          return (
            <Accordion.Item key={name} value={name} data-section={name}>
              <Accordion.Control>
                <span className="section-head">
                  <b>{title}</b>
                  <span className="section-summary">
                    {summary(draft)
                      .filter((text) => text !== '')
                      .join(' · ')}
                  </span>
                  {wrong > 0 && <StatusBadge tone="bad">{formatCount(wrong, 'problem')}</StatusBadge>}
                  {wrong === 0 && isChanged && (
                    <StatusBadge tone="accent" icon={IconCircleDot}>
                      Changed
                    </StatusBadge>
                  )}
                </span>
              </Accordion.Control>
              <Accordion.Panel>
                {open.includes(name) && (
                  <div className="field-stack">
                    <Content />
                  </div>
                )}
              </Accordion.Panel>
            </Accordion.Item>
          )
        })}
    </Accordion>
  )
}

interface SaveBarProps {
  editor: ReturnType<typeof useEditor>
  isNew: boolean
  changed: readonly string[]
  /** Number of upstreams that are down; on a phone the preview with their names is far below. */
  down: number
}

function SaveBar({ editor, isNew, changed, down }: SaveBarProps) {
  const isDirty = changed.length > 0
  const { refusal } = editor
  if (!isDirty && !isNew) return null
  return (
    <div className="editor-bar" data-dirty={isDirty || undefined}>
      {refusal !== undefined &&
        (refusal.caddyWords === undefined ? (
          <Problem text={refusal.text} />
        ) : (
          <CaddyWords words={refusal.caddyWords} title="Nothing was saved: Caddy refuses it" />
        ))}
      <Text c="dimmed" size="sm" className="editor-bar-text">
        {down > 0 && `${downText(down)}. `}
        {isNew ? 'Caddy serves it as soon as it is added.' : `Changed: ${changed.map(nameOfField).join(', ')}`}
      </Text>
      <div className="editor-bar-actions">
        {isDirty && !isNew && (
          <Button variant="default" disabled={editor.isSaving} onClick={() => editor.reset()}>
            Discard
          </Button>
        )}
        <Button type="submit" loading={editor.isSaving} disabled={!isDirty}>
          {isNew ? 'Add site' : 'Save'}
        </Button>
      </div>
    </div>
  )
}
