import { Skeleton, Text } from '@mantine/core'
import { answer, formatCount, Problem } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, keys, type Info, type MediaType } from '../api.ts'
import { FactsLine, PlatformName } from '../jobs/job-facts.tsx'
import { clock, platformNames } from '../jobs/job-labels.ts'
import { Picture } from '../jobs/thumbnail.tsx'
import { Waiting } from '../progress/waiting.tsx'
import { platformOf } from './address-text.ts'
import { refusalOf } from './submit-job.ts'

/** Answers hold as long as the server remembers what a platform said. */
const remembered = { staleTime: 5 * 60_000, retry: false }

/** Preview of a URL before it is downloaded; the query stops when the URL changes. */
export function Preview({ address, type }: { address: string; type: MediaType }) {
  const query = { url: address }
  const info = useQuery({
    queryKey: keys.info(address),
    queryFn: ({ signal }) => answer(api.GET('/api/info', { params: { query }, signal })),
    ...remembered,
  })
  // A failure is no picture.
  const picture = useQuery({
    queryKey: keys.preview(address),
    queryFn: ({ signal }) => answer(api.GET('/api/thumbnail/resolve', { params: { query }, signal })),
    ...remembered,
  })
  const platform = info.data?.platform ?? platformOf(address)
  if (info.error !== null) return <Problem text={refusalOf(info.error)} />
  return (
    <div className="preview" aria-busy={info.isPending}>
      {picture.isPending ? (
        <Skeleton className="picture" />
      ) : (
        <Picture key={picture.data?.thumbnail_url} src={picture.data?.thumbnail_url ?? null} type={type} />
      )}
      {info.data === undefined ? (
        <div className="preview-words">
          <Skeleton height={16} width="70%" my={4} />
          <Waiting label={`Contacting ${platform === undefined ? 'the platform' : platformNames[platform]}`} max={20} />
        </div>
      ) : (
        <div className="preview-words">
          {info.data.unavailable ? <Unavailable info={info.data} /> : <Known info={info.data} />}
        </div>
      )}
    </div>
  )
}

function Known({ info }: { info: Info }) {
  return (
    <>
      <Text fw={600} lineClamp={2}>
        {info.title ?? 'Without a title'}
      </Text>
      <FactsLine>
        <PlatformName platform={info.platform} />
        {factsOf(info)}
      </FactsLine>
    </>
  )
}

function factsOf({ channel, uploader, duration, view_count: views, formats }: Info): string[] {
  const heights = formats.map(({ resolution }) => Number(/^(\d+)p$/.exec(resolution)?.[1] ?? 0))
  const tallest = Math.max(0, ...heights)
  const facts = [
    channel ?? uploader ?? '',
    duration === null ? '' : clock(duration),
    views === null ? '' : formatCount(views, 'view'),
    tallest === 0 ? '' : `up to ${tallest}p`,
  ]
  return facts.filter((fact) => fact !== '')
}

/** Reasons that cookies help against. */
const cookieReasons = new Set(['login_required', 'bot_check', 'private'])

function Unavailable({ info: { platform, reason } }: { info: Info }) {
  const name = platformNames[platform]
  return (
    <>
      <Text fw={600}>{name} does not say what this is</Text>
      <Text size="sm" c="dimmed">
        {cookieReasons.has(reason ?? '') ? (
          <>
            It shows this only to signed-in users.{' '}
            <Link className="hearth-link" href={`/settings?tab=cookies&platform=${platform}`}>
              Add cookies of {name}
            </Link>
          </>
        ) : (
          'The download may work all the same.'
        )}
      </Text>
    </>
  )
}
