import { FileButton, Group, Text, Textarea } from '@mantine/core'
import {
  answer,
  describeError,
  formatCount,
  FormDialog,
  notifyDone,
  Problem,
  QueryState,
  RelativeTime,
  StatusBadge,
  useAction,
  type Tone,
} from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconClipboardText, IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, asUpload, keys, readCookies, type CookieSnapshot } from '../api.ts'
import { ActionButton, DeleteButton } from '../buttons.tsx'
import { FactsLine } from '../jobs/job-facts.tsx'
import { platformNames } from '../jobs/job-labels.ts'
import { PlatformIcon } from '../jobs/platform-icon.tsx'
import { HealthSection } from '../platforms/health-section.tsx'
import { Waiting } from '../progress/waiting.tsx'

const statusLabels: Readonly<Record<CookieSnapshot['status'], { text: string; tone: Tone }>> = {
  valid: { text: 'Signed in', tone: 'good' },
  expired: { text: 'Expired', tone: 'warn' },
  invalid: { text: 'Not signed in', tone: 'warn' },
  missing: { text: 'None', tone: 'quiet' },
}

/** Health and cookies of every platform; `highlighted` is the platform that a link points to. */
export function CookieSettings({ highlighted }: { highlighted: string | null }) {
  const jars = useQuery({ queryKey: keys.cookies, queryFn: readCookies })
  if (jars.data === undefined) return <QueryState query={jars} lines={6} />
  return (
    <>
      <HealthSection />
      <Text c="dimmed" maw={640}>
        Some media is shown to signed-in users only. With the cookies of a browser that is signed in, the service is,
        too. Without them everything public works.
      </Text>
      <div className="cookie-grid">
        {jars.data.map((jar) => (
          <CookieCard key={jar.platform} jar={jar} isHighlighted={jar.platform === highlighted} />
        ))}
      </div>
    </>
  )
}

/** The cookies of one platform: their state, and the buttons to paste, upload and delete them. */
function CookieCard({ jar, isHighlighted }: { jar: CookieSnapshot; isHighlighted: boolean }) {
  const { platform } = jar
  const name = platformNames[platform]
  const [isPasting, setPasting] = useState(false)
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isHighlighted) card.current?.scrollIntoView({ block: 'center' })
  }, [isHighlighted])
  const upload = useAction<File, CookieSnapshot>({
    run: (file) => answer(api.POST('/api/cookies/{platform}', { params: { path: { platform } }, ...asUpload(file) })),
    done: (stored) => doneText(stored),
    renew: [keys.cookies, keys.platforms],
    onProblem: () => undefined,
  })
  const { text, tone } = statusLabels[jar.status]
  return (
    <section ref={card} className="hearth-card cookie-card" aria-label={name} data-asked={isHighlighted || undefined}>
      <div className="hearth-card-head">
        <h2 className="cookie-name">
          <PlatformIcon platform={platform} size={20} /> {name}
        </h2>
        <StatusBadge tone={tone}>{text}</StatusBadge>
      </div>
      <CookieFacts jar={jar} />
      <Problem text={upload.error === null ? undefined : describeError(upload.error)} />
      {upload.isPending && <Waiting label="Reading the file" />}
      <Group gap="xs">
        <ActionButton icon={IconClipboardText} aria-label={`Paste cookies of ${name}`} onClick={() => setPasting(true)}>
          Paste
        </ActionButton>
        <FileButton
          accept=".txt,.json,text/plain,application/json"
          onChange={(file) => file !== null && upload.mutate(file)}
        >
          {(button) => (
            <ActionButton
              {...button}
              icon={IconUpload}
              aria-label={`Upload a cookie file of ${name}`}
              loading={upload.isPending}
            >
              Upload
            </ActionButton>
          )}
        </FileButton>
        {jar.present && (
          <DeleteButton
            aria-label={`Delete the cookies of ${name}`}
            title={`Delete the cookies of ${name}?`}
            losses={[
              `${formatCount(jar.cookie_count, 'cookie')}; what ${name} shows to signed-in users only fails then`,
            ]}
            verb="Delete cookies"
            action={{
              run: () => answer(api.DELETE('/api/cookies/{platform}', { params: { path: { platform } } })),
              renew: [keys.cookies],
            }}
          >
            Delete
          </DeleteButton>
        )}
      </Group>
      {isPasting && <PasteDialog jar={jar} onClose={() => setPasting(false)} />}
    </section>
  )
}

const doneText = ({ platform, status }: CookieSnapshot): string =>
  status === 'valid'
    ? `The cookies of ${platformNames[platform]} are stored and sign in`
    : `The cookies of ${platformNames[platform]} are stored, but sign nobody in`

const isoOfUnix = (seconds: number): string => new Date(seconds * 1000).toISOString()

function CookieFacts({ jar }: { jar: CookieSnapshot }) {
  return (
    <>
      {jar.status !== 'valid' && <Text size="sm">{jar.detail}</Text>}
      {jar.present && (
        <FactsLine>
          {formatCount(jar.cookie_count, 'cookie')}
          {jar.expires_at !== null && (
            <>
              {jar.status === 'expired' ? 'Expired' : 'Ends'} <RelativeTime value={isoOfUnix(jar.expires_at)} />
            </>
          )}
          {jar.updated_at !== null && (
            <>
              Stored <RelativeTime value={isoOfUnix(jar.updated_at)} />
            </>
          )}
        </FactsLine>
      )}
    </>
  )
}

function PasteDialog({ jar: { platform }, onClose }: { jar: CookieSnapshot; onClose: () => void }) {
  const name = platformNames[platform]
  const form = useForm({ initialValues: { text: '' } })
  return (
    <FormDialog<{ text: string }, CookieSnapshot>
      opened
      onClose={onClose}
      title={`Cookies of ${name}`}
      size="lg"
      form={form}
      submitLabel="Store"
      submitButton={{ disabled: form.getValues().text.trim() === '' }}
      submit={(body) => answer(api.POST('/api/cookies/{platform}/paste', { params: { path: { platform } }, body }))}
      onDone={(stored) => notifyDone(doneText(stored))}
      renew={[keys.cookies, keys.platforms]}
    >
      <ol className="hints">
        <li>Sign in to {name} in your browser, best in a private window that you close afterwards.</li>
        <li>Press F12, open “Network”, and load the page again.</li>
        <li>
          On the first request to {name}: right click, “Copy”, “Copy as cURL” (or as fetch, or the value of its Cookie
          header). An export of a cookie extension does as well.
        </li>
      </ol>
      <Textarea
        label="What you copied"
        autosize
        minRows={5}
        maxRows={12}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: 'hearth-mono' }}
        data-autofocus
        {...form.getInputProps('text')}
      />
      <Text size="xs" c="dimmed">
        Cookies are as good as your password there. They are stored encrypted, used for {name} only, and never shown
        again. Only those of {name} are kept.
      </Text>
    </FormDialog>
  )
}
