import { answer, EmptyState, QueryState } from '@hearth/ui'
import { Button, Text } from '@mantine/core'
import { IconMessageQuestion } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, keys, type NameRequest } from '../api.ts'
import { DnsFrame } from '../dns/dns-frame.tsx'
import { RefuseRequest } from '../dns/requests/refuse-request.tsx'
import { RequestList } from '../dns/requests/request-list.tsx'
import '../dns/requests/requests.css'

const shown = 100

/** Names that people asked for on the page inside the tunnel; administrators only. */
export function DnsRequestsPage() {
  const requests = useQuery({
    queryKey: [...keys.dnsRequests, 'list'],
    queryFn: () => answer(api.GET('/api/dns/requests', { params: { query: { limit: shown } } })),
  })
  const [refused, setRefused] = useState<NameRequest>()
  const rows = requests.data?.data
  return (
    <DnsFrame>
      <PagePlaces />
      <QueryState query={requests} lines={4} />
      {rows?.length === 0 && (
        <EmptyState icon={IconMessageQuestion} title="No requests">
          People ask for a blocked name on the page inside the tunnel. What they ask for appears here at once.
        </EmptyState>
      )}
      {rows !== undefined && rows.length > 0 && <RequestList requests={rows} onRefuse={setRefused} />}
      {refused !== undefined && <RefuseRequest request={refused} onClose={() => setRefused(undefined)} />}
    </DnsFrame>
  )
}

/** Where people find the page, or how to switch it on. */
function PagePlaces() {
  const page = useQuery({
    queryKey: keys.tunnelPage,
    queryFn: async () => (await answer(api.GET('/api/tunnel-page'))).data,
  })
  if (page.data === undefined) return null
  const { enabled, unavailable, places } = page.data
  if (!enabled)
    return (
      <p className="request-page">
        The page inside the tunnel is off: nobody can ask.{' '}
        <Button component={Link} href="/settings" variant="default" size="xs">
          Switch it on in Settings
        </Button>
      </p>
    )
  const urls = [...new Set(places.flatMap(({ urls: [first] }) => first ?? []))]
  return (
    <Text c="dimmed" size="sm" mb="md" className="wrap-anywhere">
      {unavailable ?? `People ask on a connected device at ${urls.join(' or ')}`}
    </Text>
  )
}
