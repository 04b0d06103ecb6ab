import { ActionIcon, Button, Kbd, Text, Textarea } from '@mantine/core'
import { useDebouncedValue, useWindowEvent } from '@mantine/hooks'
import { Problem } from '@hearth/ui'
import { IconClipboardText, IconDownload, IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState, type KeyboardEvent, type RefObject } from 'react'
import { useSearchParams } from 'wouter'
import { keys, readImports, type Job } from '../api.ts'
import { Waiting } from '../progress/waiting.tsx'
import { addressesIn, isListAddress, sharedText } from './address-text.ts'
import { useBatch } from './batch.ts'
import { ChoiceControls } from './choice-controls.tsx'
import { useChoices, type Choices } from './choices.ts'
import { DuplicateDialog } from './duplicate-dialog.tsx'
import { Preview } from './preview.tsx'
import { existingJobOf, refusalOf, submitJob } from './submit-job.ts'
import './submit.css'

/** Loaded with the first list: most addresses are single videos. */
const ListReview = lazy(async () => ({ default: (await import('../lists/list-review.tsx')).ListReview }))

/** Loaded with the second address. */
const BatchReview = lazy(async () => ({ default: (await import('./batch-review.tsx')).BatchReview }))

/** Loaded with the first preview. */
const ForecastLine = lazy(async () => ({ default: (await import('./forecast-line.tsx')).ForecastLine }))

/** Loaded when something waits. */
const WaitingImports = lazy(async () => ({ default: (await import('../lists/waiting-imports.tsx')).WaitingImports }))

interface SubmitCardProps {
  field: RefObject<HTMLTextAreaElement | null>
  onAdded: (job: Job) => void
}

/** The field for addresses: one is previewed and fetched, several become a batch that is looked over first. */
export function SubmitCard({ field, onAdded }: SubmitCardProps) {
  const [text, setText] = useAddressText()
  const [choices, choose] = useChoices()
  const submission = useSubmission(choices, (job) => {
    setText('')
    field.current?.focus()
    onAdded(job)
  })
  const change = (next: string) => {
    submission.forget()
    setText(next)
  }
  usePasteAnywhere((pasted) => {
    change(pasted)
    field.current?.focus()
  })
  const imports = useQuery({ queryKey: keys.imports, queryFn: readImports })
  const isAnythingWaiting = (imports.data?.waiting ?? 0) > 0
  const addresses = addressesIn(text)
  const list = addresses.length === 1 && isListAddress(addresses[0] ?? '') ? addresses[0] : undefined
  const submit = () => submission.submit(addresses, text)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') change('')
    if (event.key !== 'Enter' || event.shiftKey || addresses.length > 1 || list !== undefined) return
    event.preventDefault()
    if (!submission.isSending) submit()
  }
  return (
    <section className="hearth-card submit" aria-label="New download">
      <div className="submit-line">
        <Textarea
          ref={field}
          className="submit-field"
          size="md"
          autosize
          minRows={1}
          maxRows={6}
          aria-label="Address of a video"
          placeholder="Paste an address, or several"
          leftSection={<IconClipboardText size={20} stroke={1.6} aria-hidden />}
          rightSection={<FieldEnd text={text} onClear={() => change('')} />}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {addresses.length < 2 && list === undefined && (
          <Button
            size="md"
            leftSection={<IconDownload size={18} aria-hidden />}
            disabled={text.trim() === ''}
            loading={submission.isSending}
            onClick={submit}
          >
            Download
          </Button>
        )}
      </div>
      <ChoiceControls choices={choices} onChange={choose} />
      <Problem text={submission.problem} />
      {submission.isSending && <Waiting label="Reading the title" max={8} />}
      {list !== undefined && (
        <Suspense fallback={<Waiting label="Reading the list" max={90} />}>
          <ListReview key={list} address={list} choices={choices} onStarted={() => setText('')} />
        </Suspense>
      )}
      {isAnythingWaiting && (
        <Suspense>
          <WaitingImports />
        </Suspense>
      )}
      <Below
        addresses={addresses}
        choices={choices}
        isSettled={list !== undefined || submission.isSending || submission.problem !== undefined}
        onBatch={() => setText('')}
      />
      <DuplicateDialog job={submission.existing} onClose={submission.forget} onAgain={submission.again} />
    </section>
  )
}

function FieldEnd({ text, onClear }: { text: string; onClear: () => void }) {
  if (text === '')
    return (
      <Kbd size="xs" aria-hidden className="hearth-search-key">
        /
      </Kbd>
    )
  return (
    <ActionIcon variant="subtle" color="gray" aria-label="Clear" onClick={onClear}>
      <IconX size={18} aria-hidden />
    </ActionIcon>
  )
}

/** Content under the field: a preview of one URL, a list of several, or help. */
function Below(props: { addresses: string[]; choices: Choices; isSettled: boolean; onBatch: () => void }) {
  const { addresses, choices, isSettled, onBatch } = props
  const [address] = useDebouncedValue(addresses[0], 400, { leading: true })
  const isIdle = useBatch().items.length === 0
  return (
    <>
      {addresses.length === 1 && address !== undefined && !isSettled && (
        <>
          <Preview key={address} address={address} type={choices.type} />
          <Suspense>
            <ForecastLine address={address} choices={choices} />
          </Suspense>
        </>
      )}
      {(addresses.length > 1 || !isIdle) && (
        <Suspense>
          <BatchReview addresses={addresses} choices={choices} onStarted={onBatch} />
        </Suspense>
      )}
      {addresses.length === 0 && isIdle && (
        <Text size="sm" c="dimmed">
          YouTube, TikTok, Instagram and Facebook. Paste or drop anywhere on this page; several addresses become a list.
        </Text>
      )}
    </>
  )
}

/** Typed text; the page's URL may bring it as `url` or `text`, as share menus send it. */
function useAddressText(): [string, (text: string) => void] {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(() => sharedText(window.location.search))
  const change = (next: string) => {
    setText(next)
    if (params.has('url') || params.has('text')) setParams(withoutShare, { replace: true })
  }
  return [text, change]
}

/** The address of the page without what a share menu brought. */
function withoutShare(params: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(params)
  for (const name of ['url', 'text', 'title']) rest.delete(name)
  return rest
}

/** One address on its way, the job that may be there already, and why it was refused. */
function useSubmission(choices: Choices, onAdded: (job: Job) => void) {
  const sending = useMutation({
    mutationFn: ({ address, isConfirmed }: { address: string; isConfirmed: boolean }) =>
      submitJob(address, choices, isConfirmed),
    onSuccess: onAdded,
  })
  const [hint, setHint] = useState<string>()
  const existing = existingJobOf(sending.error)
  const forget = () => {
    setHint(undefined)
    sending.reset()
  }
  return {
    isSending: sending.isPending,
    existing,
    problem: hint ?? (sending.error === null || existing !== undefined ? undefined : refusalOf(sending.error)),
    forget,
    submit: ([address]: string[], text: string) => {
      if (address !== undefined) sending.mutate({ address, isConfirmed: false })
      else if (text.trim() !== '') setHint('No address found. Copy the link of the video and paste it here.')
    },
    again: () => {
      if (sending.variables !== undefined) sending.mutate({ ...sending.variables, isConfirmed: true })
    },
  }
}

/** Hands over text with an address that is pasted, or dropped, anywhere on the page but into a field of its own. */
function usePasteAnywhere(onText: (text: string) => void): void {
  const take = (event: Event, text: string) => {
    if (isTaken(event.target) || addressesIn(text).length === 0) return
    event.preventDefault()
    onText(text)
  }
  useWindowEvent('paste', (event) => take(event, event.clipboardData?.getData('text') ?? ''))
  useWindowEvent('drop', (event) => take(event, event.dataTransfer?.getData('text') ?? ''))
  useWindowEvent('dragover', (event) => {
    if (!isTaken(event.target) && event.dataTransfer?.types.includes('text/plain') === true) event.preventDefault()
  })
}

/** A field takes its text itself, and nothing reaches past a dialog. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"]') !== null) return true
  return target instanceof Element && target.closest('input, textarea, [contenteditable="true"]') !== null
}
