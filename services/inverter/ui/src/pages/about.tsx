import { Button, Text } from '@mantine/core'
import {
  answer,
  Fact,
  notifyDone,
  PageHeader,
  QueryState,
  RelativeTime,
  Section,
  StatusBadge,
  useAction,
} from '@hearth/ui'
import { IconBook2, IconRefresh } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, keys, readSettings, type Schemas } from '../api.ts'
import { IconButton } from '../page-elements.tsx'

const readRelease = (refresh: boolean) =>
  answer(api.GET('/admin/api/check-updates', { params: { query: { refresh: refresh ? 'true' : 'false' } } }))

/** Version, newer versions, licence, and the description of the API. */
export function AboutPage() {
  return (
    <>
      <PageHeader title="About" />
      <div className="hearth-stack settings-form">
        <Version />
        <ApiDescription />
        <Section title="Licence">
          <Text>
            Hearth Inverter is free software under the MIT licence, without warranty. It is not affiliated with the
            manufacturer of your inverter.
          </Text>
        </Section>
      </div>
    </>
  )
}

function Version() {
  const cache = useQueryClient()
  const release = useQuery({ queryKey: keys.release, queryFn: () => readRelease(false) })
  const check = useAction<void, Schemas['ReleaseInfo']>({
    run: () => readRelease(true),
    onDone: (info) => {
      cache.setQueryData(keys.release, info)
      notifyDone(statusOf(info).text)
    },
  })
  const { data } = release
  return (
    <Section
      title="Version"
      actions={
        <IconButton icon={IconRefresh} loading={check.isPending} onClick={() => check.mutate()}>
          Check for updates
        </IconButton>
      }
    >
      <QueryState query={release} lines={2} />
      {data !== undefined && (
        <dl className="hearth-facts" data-start>
          <Fact name="Installed">{data.version}</Fact>
          <Fact name="Latest">
            {data.latest ?? '–'} <StatusBadge tone={statusOf(data).tone}>{statusOf(data).text}</StatusBadge>
          </Fact>
          {data.error !== null && <Fact name="Reason">{data.error}</Fact>}
          <Fact name="Last checked">
            <RelativeTime value={data.checked_at} />
          </Fact>
          {data.url !== null && (
            <Fact name="Release notes">
              <a className="hearth-link" href={data.url} target="_blank" rel="noreferrer">
                {data.url}
              </a>
            </Fact>
          )}
        </dl>
      )}
    </Section>
  )
}

function statusOf({ update_available: isNewer }: Schemas['ReleaseInfo']) {
  if (isNewer === null) return { tone: 'quiet', text: 'Unknown' } as const
  return isNewer
    ? ({ tone: 'accent', text: 'Update available' } as const)
    : ({ tone: 'good', text: 'Up to date' } as const)
}

function ApiDescription() {
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  if (settings.data === undefined) return null
  return (
    <Section title="API">
      {settings.data.environment.docs_public ? (
        <Button
          component="a"
          href="/docs"
          target="_blank"
          variant="default"
          leftSection={<IconBook2 size={16} aria-hidden />}
        >
          Open the API documentation
        </Button>
      ) : (
        <Text className="hearth-dimmed">
          The API documentation is not public. Set <code>DOCS_PUBLIC=true</code> to serve it at /docs.
        </Text>
      )}
    </Section>
  )
}
