import type { SettingsSection } from '@hearth/ui'
import type { Settings } from '../api.ts'
import { routingModes } from '../peers/peer-values.ts'

/** Values of the settings form; a number field may be empty while someone types. */
export type SettingsValues = {
  [Member in keyof Settings]: Settings[Member] extends number ? number | '' : Settings[Member]
}

/** The settings form, but for the public endpoint. */
export const settingsSections: readonly SettingsSection<SettingsValues>[] = [
  {
    title: 'Defaults for new interfaces and peers',
    fields: [
      {
        name: 'default_routing_mode',
        kind: 'select',
        label: 'What goes through the tunnel',
        description: ({ default_routing_mode: mode }) => routingModes[mode].explanation,
        choices: {
          full_tunnel: routingModes.full_tunnel.label,
          split_tunnel: routingModes.split_tunnel.label,
          isolated: routingModes.isolated.label,
        },
      },
      {
        name: 'default_dns',
        kind: 'text',
        label: 'DNS servers',
        description: 'Empty for the filter of this service; or up to four addresses, separated by commas',
      },
      {
        name: 'default_mtu',
        kind: 'number',
        label: 'MTU',
        description: 'Largest packet in the tunnel, 1280 to 9000 bytes',
        suffix: ' bytes',
      },
      {
        name: 'default_persistent_keepalive',
        kind: 'number',
        label: 'Keepalive',
        description: 'Seconds between keepalive packets; 0 disables them',
        suffix: ' s',
      },
    ],
  },
  {
    title: 'Peers that expire or are not seen',
    fields: [
      {
        name: 'expiry_warning_days',
        kind: 'number',
        label: 'Warn before a peer expires',
        description: 'It is marked in the list, and a notification is sent; 0 for no warning',
        suffix: ' days',
      },
      {
        name: 'silent_peer_days',
        kind: 'number',
        label: 'Review peers that were not seen for',
        description: 'The page Peers says how many have had no handshake for so long',
        suffix: ' days',
      },
    ],
  },
  {
    title: 'Page inside the tunnel',
    fields: [
      {
        name: 'tunnel_page_enabled',
        kind: 'checkbox',
        label: 'Show people their own device',
        description:
          'At the address of each interface, through the tunnel alone: their traffic, what was blocked, and a way to ask for a name',
      },
      {
        name: 'tunnel_page_port',
        kind: 'number',
        label: 'Port of the page',
        description: 'With 80 nobody has to type a port',
      },
      {
        name: 'tunnel_page_pause_minutes',
        kind: 'number',
        label: 'A device may pause its filter for',
        description: 'Each time at most, without a profile; a profile has its own limit. 0 for never',
        suffix: ' min',
      },
    ],
  },
  {
    title: 'Hints',
    fields: [
      {
        name: 'hints_two_places',
        kind: 'checkbox',
        label: 'Key used from two places',
        description: 'Two devices take the connection of one peer from each other',
      },
      {
        name: 'hints_new_country',
        kind: 'checkbox',
        label: 'Peer connects from another country',
        description: 'One that it was not seen in for 180 days; its first week is learned. Needs a country database',
      },
      {
        name: 'hints_tunnelling',
        kind: 'checkbox',
        label: 'DNS queries look like a tunnel',
        description: 'Many different, long names below one domain. Needs the query log',
      },
      {
        name: 'hints_list_surge',
        kind: 'checkbox',
        label: 'Block list blocks ten times as much',
        description: 'As in an hour of the last two weeks, and at least 500 queries',
      },
    ],
  },
  {
    title: 'Sampling and sessions',
    fields: [
      {
        name: 'sample_interval_seconds',
        kind: 'number',
        label: 'Sample interval',
        description: 'How often handshakes and counters are read, 1 to 300 seconds',
        suffix: ' s',
      },
      {
        name: 'session_timeout_minutes',
        kind: 'number',
        label: 'Session timeout',
        description: 'A session unused for this long ends, 5 to 10080 minutes',
        suffix: ' min',
      },
    ],
  },
  {
    title: 'Connections, traffic, countries and networks',
    fields: [
      {
        name: 'connection_history_days',
        kind: 'number',
        label: 'Connection history',
        description: 'When each peer was connected is deleted after this time, 1 to 3650 days',
        suffix: ' days',
      },
      {
        name: 'connection_history_rows',
        kind: 'number',
        label: 'Connections kept',
        description: 'Of all peers together, at least 1000; the oldest are deleted',
      },
      {
        name: 'metrics_retention_days',
        kind: 'number',
        label: 'Traffic retention',
        description: 'Older figures are deleted; 0 keeps daily ones for ever and hourly ones for a year',
        suffix: ' days',
      },
      {
        name: 'geoip_country_url',
        kind: 'url',
        label: 'Country database',
        description:
          'Where a country or city database (.mmdb or .mmdb.gz) is downloaded from every week; empty for nowhere. A file named by GEOIP_COUNTRY_DB wins.',
        placeholder: 'https://example.com/country.mmdb.gz',
      },
      {
        name: 'geoip_asn_url',
        kind: 'url',
        label: 'Network database',
        description: 'The same for networks (ASN); a file named by GEOIP_ASN_DB wins.',
        placeholder: 'https://example.com/asn.mmdb.gz',
      },
      {
        name: 'destination_metrics_enabled',
        kind: 'checkbox',
        label: 'Count where traffic goes',
        description: 'By the kernel’s table of connections; it needs net.netfilter.nf_conntrack_acct=1',
      },
    ],
  },
]
