import type { SettingsSection } from '@hearth/ui'
import type { DnsSettingsValues } from './dns-settings-values.ts'

const blockModes: Record<DnsSettingsValues['block_mode'], { label: string; explanation: string }> = {
  zero_ip: {
    label: 'With no address (0.0.0.0 and ::)',
    explanation: 'Programs give up at once. The best choice for almost everyone.',
  },
  nxdomain: { label: 'No such name', explanation: 'As if the name did not exist.' },
  refused: { label: 'Refused', explanation: 'Some devices then query another resolver and bypass this filter.' },
  custom_ip: {
    label: 'With addresses of your own',
    explanation: 'Such as those of a page that says what was blocked.',
  },
}

const hasOwnAddress = ({ block_mode: mode }: DnsSettingsValues): boolean => mode === 'custom_ip'

/** The DNS settings form, but for the upstreams. */
export const dnsSettingsSections: readonly SettingsSection<DnsSettingsValues>[] = [
  {
    title: 'Blocking',
    fields: [
      {
        name: 'blocking_enabled',
        kind: 'switch',
        label: 'Filter names',
        description: 'When off, every name is answered for everyone',
      },
      {
        name: 'block_mode',
        kind: 'select',
        label: 'Answer to a blocked name',
        description: ({ block_mode: mode }) => blockModes[mode].explanation,
        choices: Object.fromEntries(Object.entries(blockModes).map(([mode, { label }]) => [mode, label])),
      },
      { name: 'custom_ipv4', kind: 'text', label: 'IPv4 address', placeholder: '10.8.0.1', when: hasOwnAddress },
      { name: 'custom_ipv6', kind: 'text', label: 'IPv6 address', placeholder: 'fd08::1', when: hasOwnAddress },
      {
        name: 'block_ttl',
        kind: 'number',
        label: 'TTL of blocked answers',
        description:
          'Time for which a device may cache that a name is blocked; with a short time changes take effect sooner',
        suffix: ' s',
      },
      {
        name: 'blocklists_update_interval_hours',
        kind: 'number',
        label: 'Update interval of lists',
        description: '0: manual updates only',
        suffix: ' h',
      },
    ],
  },
  {
    title: 'Log and privacy',
    fields: [
      {
        name: 'query_log',
        kind: 'select',
        label: 'Queries to log',
        description: 'Single peers can be left out in their own settings',
        choices: { all: 'Every query', blocked: 'Blocked queries only', none: 'Nothing' },
      },
      {
        name: 'anonymize_clients',
        kind: 'checkbox',
        label: 'Anonymize clients',
        description: 'The log then records names without peers',
      },
      {
        name: 'log_retention_days',
        kind: 'number',
        label: 'Retention',
        description: 'Older queries are deleted; up to 365 days',
        suffix: ' days',
      },
    ],
  },
  {
    title: 'Protection',
    fields: [
      {
        name: 'dnssec',
        kind: 'checkbox',
        label: 'Request validated answers (DNSSEC)',
        description: 'Upstreams validate signatures, and devices see that they did',
      },
      {
        name: 'block_private_answers',
        kind: 'checkbox',
        label: 'Block public names that lead into private networks',
        description:
          'Keeps web pages from reaching into the home network (DNS rebinding). Local names, names you allow by a rule, router pages and services such as plex.direct are not affected.',
      },
      {
        name: 'private_answers_allowed',
        kind: 'lines',
        label: 'Domains that may have private addresses',
        description: 'They and everything below them, one per line',
        when: ({ block_private_answers: isBlocking }) => isBlocking,
      },
      {
        name: 'forwarded_zones',
        kind: 'lines',
        label: 'Forwarded local zones',
        description:
          'Names of the local network (.local, .test, home.arpa, reverse names of private addresses) are not sent to the upstreams. List here the zones that your upstream knows, one per line; their answers may be private.',
        placeholder: 'home.arpa\n168.192.in-addr.arpa',
      },
      {
        name: 'peer_names_suffix',
        kind: 'text',
        label: 'Domain for names of peers',
        description: 'With “vpn” the peer Phone is found as phone.vpn, by every peer; empty for no names',
        placeholder: 'vpn',
      },
      {
        name: 'dns64_prefix',
        kind: 'text',
        label: 'DNS64 network',
        description:
          'For devices with IPv6 alone behind a NAT64: names without IPv6 addresses get addresses in this network; empty for none',
        placeholder: '64:ff9b::/96',
      },
      {
        name: 'client_rate_limit',
        kind: 'number',
        label: 'Queries per second and peer',
        description: 'Further queries are not answered; 0 means no limit',
        isGrouped: true,
      },
    ],
  },
  {
    title: 'Cache',
    fields: [
      {
        name: 'cache_size',
        kind: 'number',
        label: 'Maximum entries',
        description: '0 keeps none; up to 200,000',
        isGrouped: true,
      },
      {
        name: 'cache_min_ttl',
        kind: 'number',
        label: 'Minimum TTL',
        description: 'Caches longer than the answer says, so that fewer queries go upstream; 0 follows the answer',
        suffix: ' s',
      },
      { name: 'cache_max_ttl', kind: 'number', label: 'Maximum TTL', suffix: ' s', isGrouped: true },
      {
        name: 'serve_stale',
        kind: 'checkbox',
        label: 'Serve stale answers when no upstream answers',
        description: 'Names keep working for a while when the internet does not',
      },
      {
        name: 'prefetch',
        kind: 'checkbox',
        label: 'Renew answers that are in use before they end',
        description: 'Nobody waits for names that are looked up all the time; up to a tenth more queries go upstream',
      },
      {
        name: 'keep_cache',
        kind: 'checkbox',
        label: 'Keep the cache over a restart',
        description:
          'Names are found at once after an update. The file holds the names that were looked up lately, not by whom, and is in no backup; switching this off deletes it.',
      },
    ],
  },
]
