import { Text } from '@mantine/core'
import { answer, Fact, formatCount, QueryState, RelativeTime, Section } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type PrivateDnsStatus } from '../api.ts'

/** DNS outside the tunnels, as it is set in the environment and goes. */
export function PrivateDnsState() {
  const state = useQuery({
    queryKey: [...keys.dnsStatus, 'private'],
    queryFn: async () => (await answer(api.GET('/api/dns/private'))).data,
    refetchInterval: 30_000,
  })
  return (
    <Section title="Private DNS">
      <QueryState query={state} lines={3} />
      {state.data?.enabled === false && (
        <Text c="dimmed">
          Off: names are answered in the tunnels only. With DNS_TLS_NAME, DNS_TLS_LISTEN or DNS_HTTPS_LISTEN and a
          certificate devices keep this filter while their tunnel is off; the README of the service says how.
        </Text>
      )}
      {state.data?.enabled === true && <Facts state={state.data} />}
    </Section>
  )
}

function Facts({ state }: { state: PrivateDnsStatus }) {
  const { host, https_url: url, tls, https, http, certificate, certificate_problem: problem, devices } = state
  const places = [...tls, ...https, ...http].map(
    ({ address, port, error }) => `${address} port ${port}${error === null ? '' : ` (${error})`}`,
  )
  return (
    <dl className="hearth-facts">
      <Fact name="Host name">
        <span className="hearth-mono wrap-anywhere">{host}</span>
      </Fact>
      {url !== null && (
        <Fact name="DNS over HTTPS">
          <span className="hearth-mono wrap-anywhere">{url}</span>
        </Fact>
      )}
      <Fact name="Listens at">{places.join(', ')}</Fact>
      <Fact name="Certificate">
        {certificate === null ? (
          'None'
        ) : (
          <>
            For {certificate.names.join(', ')}, ends <RelativeTime value={certificate.valid_to} />
          </>
        )}
        {problem !== null && `. ${problem}`}
      </Fact>
      <Fact name="Devices">{`${formatCount(devices, 'device')}. Addresses are made on the page of a peer.`}</Fact>
    </dl>
  )
}
