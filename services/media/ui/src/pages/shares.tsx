import { Button, Text } from '@mantine/core'
import { answer, EmptyState, PageHeader, QueryState } from '@hearth/ui'
import { IconLink } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, keys, type Share } from '../api.ts'
import { ShareLine } from '../shares/share-line.tsx'
import { nameOfShare } from '../shares/share-values.ts'

const pageSize = 50

/** All share links: how long they last, who used them, and what can be done with them. */
export function SharesPage() {
  const shares = useInfiniteQuery({
    queryKey: keys.shareList,
    queryFn: ({ pageParam }) =>
      answer(api.GET('/api/shares', { params: { query: { limit: pageSize, offset: pageParam } } })),
    initialPageParam: 0,
    getNextPageParam: (page: readonly Share[], pages) => (page.length < pageSize ? undefined : pages.length * pageSize),
  })
  const listed = shares.data?.pages.flat()
  return (
    <>
      <PageHeader title="Shared links" />
      <QueryState query={shares} lines={6} />
      {listed?.length === 0 && (
        <EmptyState icon={IconLink} title="No links yet">
          Open a download and create a link under Share, or choose several in the{' '}
          <Link className="hearth-link" href="/library">
            Library
          </Link>
          .
        </EmptyState>
      )}
      {listed !== undefined && listed.length > 0 && (
        <section className="hearth-card" aria-label="Links">
          <Text size="sm" c="dimmed" mb="md">
            Links that ended or were used up stay here for 30 days; a later end brings one back.
          </Text>
          <ul className="share-lines" aria-label="Shared links">
            {listed.map((share) => (
              <li key={share.id}>
                <ShareHead share={share} />
                <ShareLine share={share} />
              </li>
            ))}
          </ul>
          {shares.hasNextPage && (
            <Button variant="default" loading={shares.isFetchingNextPage} onClick={() => void shares.fetchNextPage()}>
              Load older links
            </Button>
          )}
        </section>
      )}
    </>
  )
}

/** Files whose titles are shown before the rest is counted. */
const filesShown = 5

function ShareHead({ share }: { share: Share }) {
  const { files } = share
  const [first] = files
  const isPlain = files.length === 1 && first !== undefined
  const rest = files.length - filesShown
  return (
    <>
      <h2 className="share-head">
        {isPlain ? (
          <Link className="hearth-name" href={`/job/${first.job_id}`}>
            {nameOfShare(share)}
          </Link>
        ) : (
          nameOfShare(share)
        )}
      </h2>
      {!isPlain && (
        <ul className="share-files">
          {files.slice(0, filesShown).map(({ job_id, title }) => (
            <li key={job_id}>
              <Link className="hearth-link" href={`/job/${job_id}`}>
                {title ?? 'A file'}
              </Link>
            </li>
          ))}
          {rest > 0 && <li>and {rest} more</li>}
        </ul>
      )}
    </>
  )
}
