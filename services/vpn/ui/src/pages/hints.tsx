import { Alert, Button, SegmentedControl } from '@mantine/core'
import { EmptyState, PageHeader, QueryState } from '@hearth/ui'
import { IconBulb, IconMapPinOff } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { HintExceptions } from '../hints/exceptions.tsx'
import { HintCard } from '../hints/hint-card.tsx'
import { type HintStatus, useHints } from '../hints/hint-queries.ts'
import '../hints/hints.css'

/** Something unusual that was noticed, with its evidence. */
export function HintsPage() {
  const [status, setStatus] = useState<HintStatus>('open')
  const hints = useHints(status)
  const first = hints.data?.pages[0]
  const rows = hints.data?.pages.flatMap((part) => part.hints) ?? []
  return (
    <>
      <PageHeader
        title="Hints"
        description="Something unusual, with what it rests on. A hint proves nothing: you decide."
        actions={
          <SegmentedControl
            aria-label="Hints to show"
            value={status}
            onChange={(value) => setStatus(value)}
            data={[
              { value: 'open', label: first === undefined ? 'Open' : `Open (${first.open})` },
              { value: 'answered', label: 'Answered' },
            ]}
          />
        }
      />
      <div className="hearth-stack">
        {typeof first?.countries_unknown === 'string' && <CountriesUnknown reason={first.countries_unknown} />}
        <QueryState query={hints} lines={6} />
        {first !== undefined && rows.length === 0 && <NoHints status={status} />}
        <ul
          className="hints"
          aria-label={status === 'open' ? 'Open hints' : 'Answered hints'}
          hidden={rows.length === 0}
        >
          {rows.map((hint) => (
            <HintCard key={hint.id} hint={hint} />
          ))}
        </ul>
        {hints.hasNextPage && (
          <Button variant="default" loading={hints.isFetchingNextPage} onClick={() => void hints.fetchNextPage()}>
            Older hints
          </Button>
        )}
        <HintExceptions />
      </div>
    </>
  )
}

function NoHints({ status }: { status: HintStatus }) {
  if (status === 'answered')
    return (
      <EmptyState icon={IconBulb} title="No answered hints">
        Hints that you marked as done or expected stay here for 90 days.
      </EmptyState>
    )
  return (
    <EmptyState icon={IconBulb} title="Nothing unusual">
      You see here when a key is used from two places, a peer connects from another country, DNS queries look like a
      tunnel, or a list blocks ten times as much as usual. A peer and a list are learned first: seven and three days.
    </EmptyState>
  )
}

/** Without a database of countries, two kinds of hints know less. */
function CountriesUnknown({ reason }: { reason: string }) {
  return (
    <Alert icon={<IconMapPinOff size={18} aria-hidden />} color="gray" title="Countries are not known">
      No hint comes when a peer connects from another country. {reason}. You set the address under{' '}
      <Link href="/settings" className="hearth-link">
        Settings
      </Link>
      .
    </Alert>
  )
}
